//! What a checkpoint is of, and how other work differs from it.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// The format of the files, raised when old states can no longer be read.
const FORMAT: &str = "merit-checkpoint-1";

/// A piece of work: the same work on the same data gives the same runs in the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// Which kind of work, as `factor`.
    pub command: String,
    /// A [fingerprint](merit_linalg::numbers::fingerprint) of the data.
    pub data: u64,
    /// All that the result depends on. What it does not depend on (threads, say) is not compared.
    pub settings: Value,
}

/// Settings on which the result does not depend, or that say how long to go on.
const FREE: [&str; 2] = ["kernel", "time_limit"];

impl Work {
    /// This work on data of this fingerprint, with settings of which those are left out that may change from one process to the next.
    pub fn of(command: &str, data: u64, settings: &impl Serialize) -> Self {
        let mut settings = serde_json::to_value(settings).expect("settings can be written");
        forget(&mut settings);
        Self { command: command.into(), data, settings }
    }

    pub(crate) fn text(&self) -> String {
        let Self { command, data, settings } = self;
        let value =
            json!({ "format": FORMAT, "command": command, "data": format!("{data:016x}"), "settings": settings });
        format!("{value:#}\n")
    }

    /// In what this differs from the work of a marker; fails if that is none.
    pub(crate) fn differences(&self, marker: &str) -> Result<Vec<String>, String> {
        let marker: Value = serde_json::from_str(marker).map_err(|error| error.to_string())?;
        match marker["format"].as_str() {
            Some(FORMAT) => {}
            Some(other) => return Err(format!("its format is {other}, and this program reads {FORMAT}")),
            None => return Err("it does not say its format".to_string()),
        }
        let mut found = Vec::new();
        if marker["command"] != self.command.as_str() {
            found.push(format!("it was `{}`, and this is `{}`", word(&marker["command"]), self.command));
        }
        if marker["data"] != format!("{:016x}", self.data) {
            found.push("the data are not the same".to_string());
        }
        compare("", &marker["settings"], &self.settings, &mut found);
        Ok(found)
    }
}

fn forget(settings: &mut Value) {
    if let Value::Object(map) = settings {
        map.retain(|name, _| !FREE.contains(&name.as_str()));
        map.values_mut().for_each(forget);
    }
}

/// Every setting in which two differ.
fn compare(path: &str, before: &Value, now: &Value, found: &mut Vec<String>) {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => {
            let names: std::collections::BTreeSet<&String> = before.keys().chain(now.keys()).collect();
            for name in names {
                let value = |of: &Map<String, Value>| of.get(name).cloned().unwrap_or(Value::Null);
                compare(name, &value(before), &value(now), found);
            }
        }
        _ if before != now => found.push(format!("`{path}` was {}, and is {}", word(before), word(now))),
        _ => {}
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::Null => "not given".to_string(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named() {
        let work = |data, settings| Work { command: "factor".into(), data, settings };
        let before = work(1, json!({ "rank": 3, "search": { "seed": 1, "mu": 1e-5 } })).text();
        assert_eq!(work(1, json!({ "rank": 3, "search": { "seed": 1, "mu": 1e-5 } })).differences(&before), Ok(vec![]));
        let other = work(2, json!({ "search": { "seed": 2, "mu": 1e-5 } })).differences(&before).unwrap();
        assert_eq!(other, ["the data are not the same", "`rank` was 3, and is not given", "`seed` was 1, and is 2"]);
        assert!(work(1, json!({})).differences("{}").unwrap_err().contains("does not say its format"));
        assert!(work(1, json!({})).differences("half").is_err());
    }
}
