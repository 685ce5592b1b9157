//! The fields that are asked for of a JSON object, without a tree of all the others.
//!
//! Memory: the size of these fields; texts without escapes are not copied. A tree would take 16 times the line.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Keys that are listed where a field is missing.
const KEYS: usize = 20;

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field<'t> {
    Text(Cow<'t, str>),
    Null,
    /// Anything else, as JSON.
    Other(String),
}

/// What was found of an object.
#[derive(Debug)]
pub(super) struct Found<'t, const N: usize> {
    /// The fields that were asked for.
    pub fields: [Option<Field<'t>>; N],
    /// The first keys, in alphabetical order.
    pub keys: Vec<String>,
}

/// Why there is nothing.
#[derive(Debug)]
pub(super) enum Fault {
    NotJson(serde_json::Error),
    NotAnObject,
}

/// The fields called `names` of the object that `line` is.
pub(super) fn fields<'t, const N: usize>(line: &'t str, names: [Option<&str>; N]) -> Result<Found<'t, N>, Fault> {
    if !line.trim_ascii_start().starts_with('{') {
        return Err(serde_json::from_str::<IgnoredAny>(line).map_or_else(Fault::NotJson, |_| Fault::NotAnObject));
    }
    let mut reader = serde_json::Deserializer::from_str(line);
    let found = Object(names).deserialize(&mut reader).and_then(|found| reader.end().map(|()| found));
    found.map_err(Fault::NotJson)
}

/// An item of a list.
pub(super) enum Element<'t, const N: usize> {
    Object(Found<'t, N>),
    Text(Cow<'t, str>),
    Other,
}

/// Hands every item of the list that `text` is to `each`, with its number from 1, until it says no.
pub(super) fn for_each<'t, const N: usize>(
    text: &'t str,
    names: [Option<&str>; N],
    each: &mut dyn FnMut(u64, Element<'t, N>) -> bool,
) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.deserialize_seq(List { names, each })?;
    reader.end()
}

struct List<'n, 'e, 't, const N: usize> {
    names: [Option<&'n str>; N],
    each: &'e mut dyn FnMut(u64, Element<'t, N>) -> bool,
}

impl<'t, const N: usize> Visitor<'t> for List<'_, '_, 't, N> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<(), A::Error> {
        let mut item = 0;
        while let Some(element) = list.next_element_seed(Item(self.names))? {
            item += 1;
            if !(self.each)(item, element) {
                return Err(A::Error::custom("ended"));
            }
        }
        Ok(())
    }
}

struct Item<'n, const N: usize>([Option<&'n str>; N]);

impl<'t, const N: usize> DeserializeSeed<'t> for Item<'_, N> {
    type Value = Element<'t, N>;

    fn deserialize<D: Deserializer<'t>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'t, const N: usize> Visitor<'t> for Item<'_, N> {
    type Value = Element<'t, N>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object or a text")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'t str) -> Result<Self::Value, E> {
        Ok(Element::Text(text.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Element::Text(text.to_string().into()))
    }

    fn visit_map<A: MapAccess<'t>>(self, map: A) -> Result<Self::Value, A::Error> {
        Object(self.0).visit_map(map).map(Element::Object)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Element::Other)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Element::Other)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Element::Other)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Element::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Element::Other)
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Element::Other)
    }
}

struct Object<'n, const N: usize>([Option<&'n str>; N]);

impl<'t, const N: usize> DeserializeSeed<'t> for Object<'_, N> {
    type Value = Found<'t, N>;

    fn deserialize<D: Deserializer<'t>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_map(self)
    }
}

impl<'t, const N: usize> Visitor<'t> for Object<'_, N> {
    type Value = Found<'t, N>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Found { fields: [const { None }; N], keys: Vec::new() };
        while let Some(key) = map.next_key_seed(Scalar)? {
            let Field::Text(key) = key else { return Err(A::Error::custom("a key is not a string")) };
            if self.0.contains(&Some(&*key)) {
                let field = map.next_value_seed(Scalar)?;
                let places = found.fields.iter_mut().zip(self.0).filter(|(_, name)| *name == Some(&*key));
                places.for_each(|(place, _)| *place = Some(field.clone())); // of repeated keys the last counts
            } else {
                map.next_value::<IgnoredAny>()?;
            }
            if found.keys.len() < KEYS {
                found.keys.push(key.into_owned());
            }
        }
        found.keys.sort_unstable();
        Ok(found)
    }
}

/// Any value: text as it is, the rest written as JSON again.
struct Scalar;

impl<'t> DeserializeSeed<'t> for Scalar {
    type Value = Field<'t>;

    fn deserialize<D: Deserializer<'t>>(self, source: D) -> Result<Field<'t>, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for Scalar {
    type Value = Field<'t>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'t str) -> Result<Field<'t>, E> {
        Ok(Field::Text(text.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Field<'t>, E> {
        Ok(Field::Text(text.to_string().into()))
    }

    fn visit_unit<E: Error>(self) -> Result<Field<'t>, E> {
        Ok(Field::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Field<'t>, E> {
        Ok(Field::Other(value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Field<'t>, E> {
        Ok(Field::Other(value.to_string()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Field<'t>, E> {
        Ok(Field::Other(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Field<'t>, E> {
        Ok(Field::Other(serde_json::Value::from(value).to_string()))
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<Field<'t>, A::Error> {
        let mut out = String::from("[");
        while let Some(item) = list.next_element_seed(Scalar)? {
            item.write(&mut out);
            out.push(',');
        }
        Ok(closed(out, ']'))
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Field<'t>, A::Error> {
        let mut out = String::from("{");
        while let Some(key) = map.next_key_seed(Scalar)? {
            key.write(&mut out);
            out.push(':');
            map.next_value_seed(Scalar)?.write(&mut out);
            out.push(',');
        }
        Ok(closed(out, '}'))
    }
}

/// A list with its end in place of the last comma.
fn closed<'t>(mut out: String, end: char) -> Field<'t> {
    if out.ends_with(',') {
        out.pop();
    }
    out.push(end);
    Field::Other(out)
}

impl Field<'_> {
    /// As JSON.
    fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => *out += &serde_json::Value::from(&**text).to_string(),
            Self::Null => *out += "null",
            Self::Other(json) => *out += json,
        }
    }

    /// As a name or a label.
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text.into_owned(),
            other => {
                let mut out = String::new();
                other.write(&mut out);
                out
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same as from a tree.
    #[test]
    fn fields_are_those_of_the_tree() {
        for line in [
            r#"{"a":"x","b":1,"c":null}"#,
            r#" {"b":[1,-2,0.5,1e300,"q\"\n",[],{},{"k":[true,null]}],"a":"\u00e9\n","b2":{"a":"no"}} "#,
            r#"{"a":"first","a":"last"}"#,
            r#"{}"#,
            r#"{"b":{"a":{"b":"\ud83d\ude00"}},"a":18446744073709551615}"#,
        ] {
            let tree: serde_json::Value = serde_json::from_str(line).unwrap();
            let found = fields(line, [Some("a"), Some("b"), None]).unwrap();
            for (name, field) in ["a", "b"].iter().zip(&found.fields) {
                let text = tree.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), String::from));
                assert_eq!(field.clone().map(Field::into_text), text, "{name} of {line}");
            }
            assert_eq!(found.fields[2], None);
        }
    }

    #[test]
    fn what_is_no_object_is_told_apart() {
        let of = |line| fields(line, [Some("a")]).unwrap_err();
        assert!(matches!(of("[1, 2]"), Fault::NotAnObject));
        for line in ["", "{", "[1", r#"{"a":1} x"#, r#"{"a":nul}"#, r#"{1:2}"#] {
            assert!(matches!(of(line), Fault::NotJson(_)), "{line}");
        }
        let deep = format!(r#"{{"a":{}"#, "[".repeat(100_000));
        assert!(matches!(of(&deep), Fault::NotJson(_)), "no end of the stack");
    }
}
