//! Words that say nothing about a topic: articles, pronouns, prepositions, forms of "to be".
//!
//! Our own short lists of function words, fixed, so that a run gives the same words next year. `auto` is the list of the language that the texts are
//! in ([`super::language`]).
//!
//! ```
//! use merit_topics::corpus::StopWords;
//! assert!(StopWords::named("de")?.contains("und") && !StopWords::none().contains("und"));
//! # Ok::<(), merit_topics::Error>(())
//! ```

use super::bags::word_list;
use crate::Error;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// A list of words to leave out.
#[derive(Clone, Debug, Default)]
pub struct StopWords {
    name: String,
    words: Arc<HashSet<String>>,
}

impl StopWords {
    /// The empty list.
    pub fn none() -> Self {
        Self { name: "none".into(), words: Arc::default() }
    }

    /// The list of the language that the texts will turn out to be in.
    pub fn auto() -> Self {
        Self { name: "auto".into(), words: Arc::default() }
    }

    /// Whether the language is still to be found out.
    pub(super) fn is_auto(&self) -> bool {
        self.name == "auto"
    }

    /// The list of a language, or of a file with one word per line.
    pub fn named(name: impl AsRef<Path>) -> Result<Self, Error> {
        let path = name.as_ref();
        let name = path.to_string_lossy();
        if let Some(language) = LANGUAGES.iter().find(|language| language.code == name) {
            return Ok(language.stop_words());
        }
        match &*name {
            "none" => Ok(Self::none()),
            "auto" => Ok(Self::auto()),
            file if path.is_file() => {
                let words = word_list(path)?.into_iter().map(|word| word.to_lowercase());
                Ok(Self::of(file, words.filter(|word| !word.is_empty())))
            }
            other => Err(Error::StopWords(other.into())),
        }
    }

    /// These words under this name.
    pub fn of(name: &str, words: impl Iterator<Item = String>) -> Self {
        Self { name: name.into(), words: Arc::new(words.collect()) }
    }

    /// What it was asked for as.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the (lower-case) word is on the list.
    pub fn contains(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// All words, sorted.
    pub fn sorted(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        words.sort_unstable();
        words
    }
}

/// A language whose function words are known.
pub(super) struct Language {
    /// As it is typed.
    pub code: &'static str,
    /// As people call it.
    pub name: &'static str,
    /// Its function words.
    pub words: &'static str,
    /// Frequent ones that no other of these languages shares with it for the most part: texts in it have most of them.
    pub marks: [&'static str; 8],
}

impl Language {
    pub fn stop_words(&self) -> StopWords {
        StopWords::of(self.code, self.words.split_whitespace().map(String::from))
    }
}

/// Those that there are lists for.
pub(super) const LANGUAGES: [Language; 11] = [
    Language { code: "en", name: "English", words: EN, marks: ["the", "of", "and", "to", "is", "that", "with", "for"] },
    Language {
        code: "de",
        name: "German",
        words: DE,
        marks: ["der", "und", "die", "nicht", "das", "ist", "mit", "von"],
    },
    Language {
        code: "fr",
        name: "French",
        words: FR,
        marks: ["les", "des", "est", "dans", "une", "pour", "que", "du"],
    },
    Language { code: "es", name: "Spanish", words: ES, marks: ["los", "el", "las", "una", "por", "con", "del", "que"] },
    Language {
        code: "it",
        name: "Italian",
        words: IT,
        marks: ["il", "di", "che", "della", "per", "sono", "gli", "non"],
    },
    Language {
        code: "pt",
        name: "Portuguese",
        words: PT,
        marks: ["os", "não", "uma", "com", "em", "da", "para", "do"],
    },
    Language {
        code: "nl",
        name: "Dutch",
        words: NL,
        marks: ["het", "een", "van", "niet", "de", "voor", "zijn", "met"],
    },
    Language {
        code: "sv", name: "Swedish", words: SV, marks: ["och", "att", "är", "för", "på", "som", "det", "inte"]
    },
    Language {
        code: "zh", name: "Chinese", words: ZH, marks: ["的", "了", "在", "是", "和", "不", "有", "我"]
    },
    Language {
        code: "ja", name: "Japanese", words: JA, marks: ["の", "は", "を", "に", "が", "で", "と", "た"]
    },
    Language {
        code: "th", name: "Thai", words: TH, marks: ["ที่", "และ", "ใน", "ของ", "เป็น", "ได้", "มี", "การ"]
    },
];

const EN: &str = "a about above across after afterwards again against all almost alone along already also although always am among an \
    and another any anybody anyone anything anyway anywhere are aren't around as at away back be became because become becomes been \
    before behind being below beside besides between beyond both but by came can can't cannot come comes could couldn't did didn't do does \
    doesn't doing don't done down during each either else elsewhere enough etc even ever every everybody everyone everything everywhere \
    except few first for former from further gave get gets getting give given gives go goes going gone got had hadn't has hasn't have \
    haven't having he he'd he'll hence her here hers herself him himself his how however i i'd i'll i'm i've if in indeed instead into is isn't it \
    it'd it'll its itself just keep kept know known last later latter least less let like likely made mainly make makes making many may maybe me meanwhile \
    might mine more moreover most mostly much must my myself namely near nearly neither never nevertheless next no nobody none nor not \
    nothing now nowhere of off often on once one ones only onto or other others otherwise our ours ourselves out over own per perhaps put quite \
    rather really said same saw say says see seem seemed seems seen several shall she she'd she'll should shouldn't since so some somebody someone \
    something sometimes somewhere still such take taken takes tell than that the their theirs them themselves then thence there thereby therefore \
    these they they'd they'll they're they've thing things this those though through throughout thus to together told too took toward towards two under \
    unless until up upon us use used uses using very via want wants was wasn't way ways we we'd we'll we're we've well went were weren't what whatever when whenever where \
    whereas wherever whether which while who whoever whole whom whose why will with within without won't would wouldn't yes yet you \
    you'd you'll you're you've your yours yourself yourselves";

const DE: &str = "aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bereits bin bis bist \
    da dabei dadurch dafür dagegen daher damit danach dann daran darauf daraus darf darin darüber darum das dass davon dazu dein deine deinem deinen deiner \
    dem den denen denn dennoch der deren derer des deshalb dessen dich die dies diese dieselbe diesem diesen dieser dieses dir doch dort du durch dürfen ebenso \
    ein eine einem einen einer eines einige einigem einigen einiger einiges einmal er erst es etwa etwas euch euer eure eurem euren eurer für gegen gegenüber \
    gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer in indem ins ist ja jede jedem jeden jeder \
    jedes jedoch jene jenem jenen jener jenes jetzt kann kannst kein keine keinem keinen keiner keines konnte konnten können könnte machen man manche manchem manchen \
    mancher manches mehr mein meine meinem meinen meiner meines mich mir mit muss musste müssen nach nachdem nein nicht nichts noch nun nur ob oder ohne schon sehr \
    sein seine seinem seinen seiner seines seit selbst sich sie sind so sobald sogar solche solchem solchen solcher soll sollen sollte sollten sondern sonst sowie um und \
    uns unser unsere unserem unseren unserer unter viel viele vielen vom von vor wann war waren warst warum was weder wegen weil weiter welche welchem welchen welcher \
    welches wenn wer werde werden wie wieder will wir wird wirst wo wollen wollte worden wurde wurden während würde würden zu zum zur zwar zwischen über";

const FR: &str = "à afin ai aie ainsi alors après as au aucun aucune aujourd'hui auquel aura aurait aussi autre autres aux auxquelles auxquels avaient avais avait avant avec \
    avez avoir avons ayant beaucoup bien c'est car ce ceci cela celle celles celui cependant certain certaine certaines certains ces cet cette ceux chaque chez ci comme comment \
    contre d'abord d'un d'une dans de depuis des dès desquelles desquels dessous dessus deux devant doit doivent donc dont du duquel durant elle elles en encore enfin entre envers \
    es est et étaient étais était étant été être eu eux fait faire fois font hors ici il ils j'ai jamais je jusqu'à jusque l'on la laquelle le lequel les lesquelles lesquels leur leurs \
    lors lorsque lui là ma mais malgré me même mêmes mes mieux moi moins mon n'a n'est ne ni non nos notre nous nouveau on ont or ou où par parce parfois parmi pas pendant peu peut peuvent \
    peut-être plus plusieurs plutôt pour pourquoi pourrait pouvait presque puis puisque qu'elle qu'elles qu'il qu'ils qu'on qu'un qu'une quand quant que quel quelle quelles quelque quelques quels qui \
    quoi quoique s'est s'il sa sans se selon sera serait ses seulement si sinon soi soit son sont sous souvent suis sur ta tandis tant te tel telle telles tels tes toi ton toujours tous tout toute \
    toutes très trop tu un une vers voici voilà vos votre vous vu y";

const ES: &str = "a ahí al algo algún alguna algunas alguno algunos allí ante antes aquel aquella aquellas aquellos aquí así aún aunque bajo bien cada casi como cómo con contra cual cuál cuales \
    cualquier cuando cuándo cuanto de del desde después donde dónde dos durante e él el ella ellas ello ellos en entonces entre era eran eres es esa esas ese eso esos esta ésta está estaba estaban \
    estado estamos están estar estas éstas este éste esto estos éstos estoy etc fue fueron fui ha había habían haber hace hacen hacer hacia han hasta hay he hemos incluso la las le les lo los luego \
    más me menos mi mí mientras mis misma mismas mismo mismos mucha muchas mucho muchos muy nada ni ningún ninguna ninguno no nos nosotras nosotros nuestra nuestras nuestro nuestros nunca o os otra \
    otras otro otros para pero poca poco pocos por porque pues puede pueden puedo que qué quien quién quienes se sé sea según ser será si sí sido siempre siendo sin sino sobre sólo solo somos son \
    soy su sus suya suyas suyo suyos tal también tampoco tan tanto te tener tengo ti tiene tienen toda todas todavía todo todos tras tu tú tus tuya tuyo u un una unas uno unos usted ustedes va van \
    varios vez vosotras vosotros vuestra vuestro y ya yo";

const IT: &str = "a ad agli ai al alcuna alcune alcuni alcuno all alla alle allo allora altra altre altri altro anche ancora anzi appena avanti avere aveva avevano ben bene c'è che chi ci ciascuno \
    ciò circa coi col come con contro cosa così cui da dagli dai dal dall dalla dalle dallo davanti degli dei del dell dell'a della delle dello dentro di dopo dove dunque durante e è ecco ed era erano \
    essere essi esso fa fare fatto fino fra gli ha hai hanno ho i il in infatti inoltre invece io la là le lei li lo loro lui lungo ma mai me meno mentre mi mia mie miei mio molta molte molti molto \
    ne né negli nei nel nell nella nelle nello nessun nessuna nessuno niente no noi non nostra nostre nostri nostro nulla o od ogni ognuno oltre oppure ora per perché però più piuttosto poca poche pochi \
    poco poi prima proprio può qua qualche quale quali quando quanta quante quanti quanto quasi quel quella quelle quelli quello questa queste questi questo qui quindi sarà se sé sei sempre senza si sia \
    siamo siete sono sopra sotto sta stata state stati stato stesso su sua subito sue sugli sui sul sull sulla sulle sullo suo suoi tale tali tanta tante tanti tanto te ti tra tu tua tue tuo tuoi tutta tutte \
    tutti tutto un una uno va verso vi voi vostra vostre vostri vostro";

const PT: &str = "a à ainda além algo algum alguma algumas alguns ali ambos ante antes ao aos apenas após aquela aquelas aquele aqueles aquilo as às assim até bem cada com como contra cuja cujo da daquela \
    daquele das de dela delas dele deles depois desde dessa desse desta deste do dos durante e é ela elas ele eles em embora enquanto entre era eram essa essas esse esses esta está estão estas estava este \
    estes eu foi foram for fosse há isso isto já la lá lhe lhes lo logo mais mas me mesma mesmas mesmo mesmos meu meus minha minhas muita muitas muito muitos na nada não nas nem nenhum nenhuma nessa nesse nesta \
    neste ninguém no nos nós nossa nossas nosso nossos num numa nunca o onde os ou outra outras outro outros para pela pelas pelo pelos perante pode podem pois por porém porque pouca pouco poucos própria próprio \
    qual quais qualquer quando quanto que quem se seja sem sempre sendo ser será seu seus si sido só sob sobre sua suas tal também tampouco tanto tão te tem têm tendo ter teu teus ti tinha toda todas todavia todo todos \
    tu tua tuas tudo última um uma umas uns vai vários você vocês vos vosso";

const NL: &str = "aan achter af al alle allemaal alleen alles als altijd andere ben bij bijna binnen boven bovendien buiten daar daarin daarna daarom daarvoor dan dat de deze die dit doch doen door dus echter een eens eerst \
    eigen elk elke en enige er eronder ervan even geen geweest haar had hadden heb hebben heeft hem hen het hier hij hoe hun iemand iets ik in indien is ja je jij jou jouw jullie kan konden kon kunnen kunt later maar meer meest \
    men met mij mijn minder misschien moest moet moeten mogen na naar nadat niemand niet niets nog nooit nu of om omdat onder ons onze ook op over pas per reeds sinds slechts sommige soms steeds te tegen ten ter terug terwijl toch toen \
    tot totdat tussen u uit uw van vaak vanaf veel verder via volgens voor vooral voordat waar waarom wanneer want waren was wat we weer wel welke werd werden wie wij wil willen worden wordt zal ze zei zelf zelfs zich zij zijn zo zoals \
    zodat zonder zou zouden zowel zullen";

const SV: &str = "all alla allt alltid alltså andra att av bara bland blev bli blir blivit bort både de dem den denna deras dess dessa det detta dig din dina ditt dock du där därför efter eftersom eller emot en ett från för före genom \
    går gör göra ha hade han hans har henne hennes hon honom hos hur här i icke igen in inom inte jag ju kan kanske kom kunde kunna men mellan mer mest mig min mina mitt mot mycket måste ned ner ni nog nu någon någonting något några när \
    nära och också om oss på redan samma samt sedan sig sin sina sitt själv ska skall skulle som större så sådan sådana sådant säger sätt tack till tills trots under upp ut utan utom vad var vara varför varit varje vars vart vem vi vid vilka vilken \
    vilket vill vår våra vårt än ännu är även åt över";

const ZH: &str = "的 了 在 是 和 不 有 我 你 他 她 它 们 這 这 那 也 就 都 而 及 与 與 或 个 個 上 下 中 大 为 為 以 于 於 对 對 到 从 從 被 把 让 讓 给 給 向 等 着 著 过 過 地 得 \
    我们 我們 你们 你們 他们 他們 她们 她們 它们 自己 大家 这个 這個 那个 那個 这些 這些 那些 这样 這樣 那样 那樣 这种 這種 这里 這裡 那里 那裡 这是 這是 一个 一個 一种 一種 一些 一样 一樣 一直 一定 \
    没有 沒有 什么 什麼 怎么 怎麼 如何 为什么 為什麼 因为 因為 所以 但是 可是 不过 不過 如果 虽然 雖然 然后 然後 还是 還是 或者 以及 而且 并且 並且 因此 由于 由於 对于 對於 关于 關於 通过 通過 根据 根據 \
    为了 為了 其中 其他 其它 可以 可能 能够 能夠 应该 應該 需要 必须 必須 已经 已經 正在 曾经 曾經 就是 不是 也是 都是 还有 還有 只有 不会 不會 不能 不要 之后 之後 之前 以后 以後 以前 同时 同時 目前 现在 現在 \
    非常 十分 更加 比较 比較 进行 進行 表示 认为 認為 成为 成為 有关 有關 新的 很多 许多 許多 另外 甚至 尤其 特别 特別 以上 以下 左右 之间 之間 方面 时候 時候 起来 起來 出来 出來";

const JA: &str = "の は を に が で と た し も な て だ れ さ か ら い へ や よ ね わ ば ん う お ご この その あの どの これ それ あれ どれ ここ そこ あそこ こう そう ああ どう こんな そんな あんな どんな \
    です ます でし まし ませ ない なく なかっ ある あり あっ いる いた いて いう いっ する して した しま され される せる れる られる られ なる なり なっ なら なら ため こと もの とき ところ よう ほう ほか から まで \
    より など ほど だけ しか でも とも ても では には とは また さらに しかし そして それで だから つまり なお ただし および または あるいは という といった として とする による によって によると において における について \
    に対して に対する に関する にとって ので のに けれど けれども ながら たり たち さん くん ちゃん もう まだ すでに とても かなり ほとんど すべて みな みんな 私 僕 彼 彼女 何 誰 今 中 上 下 前 後 間 等 的 者 化 氏 年 月 日 時 人";

const TH: &str = "ที่ และ ใน ของ เป็น ได้ มี การ ความ ให้ ไม่ จะ ว่า กับ จาก นี้ นั้น แต่ หรือ ก็ ไป มา อยู่ คือ โดย เพื่อ ซึ่ง ต้อง แล้ว ยัง ถึง เมื่อ ตาม ด้วย ทั้ง ขึ้น ลง เข้า ออก กว่า มาก เพราะ อย่าง ถ้า หาก กัน ต่อ แก่ \
    ผู้ นาย นาง เรา เขา เธอ มัน ผม ฉัน คุณ ท่าน พวก อะไร ใคร ไหน ทำไม อย่างไร เท่าไร บาง ทุก หลาย แต่ละ เช่น เพียง เคย ควร อาจ สามารถ กำลัง ยิ่ง เอง เลย แม้ ขณะ ระหว่าง ก่อน หลัง จึง ดังนั้น รวม ส่วน เรื่อง ครั้ง คน \
    นะ ครับ ค่ะ ละ สิ";
