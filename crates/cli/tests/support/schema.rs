//! `run.json` against `docs/run.schema.json`.

use serde_json::Value;
use std::sync::OnceLock;

/// The schema of the records.
pub fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| serde_json::from_str(include_str!("../../../../docs/run.schema.json")).unwrap())
}

/// Fails with what does not fit.
pub fn check(name: &str, record: &Value) {
    // Against the part for its kind: of three parts none of which fits, a message would say little.
    let mut part = schema()["$defs"][record["kind"].as_str().unwrap_or_default()].clone();
    assert!(part.is_object(), "{name}: kind {}", record["kind"]);
    part["$defs"] = schema()["$defs"].clone();
    let validator = jsonschema::draft202012::new(&part).expect("the schema is one");
    let errors: Vec<String> =
        validator.iter_errors(record).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{name} is not as docs/run.schema.json has it:\n{}", errors.join("\n"));
}
