//! Comma-separated text.

use merit::exact::Bounds;
use merit::progress::Progress;

/// A field of a CSV file, quoted where it must be.
pub fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

/// A field of a line with tabs between its fields.
pub fn tab_field(text: &str) -> String {
    if text.contains(['"', '\t', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

/// `trace.csv`: a line for every iteration.
pub fn trace_csv(trace: &[Progress]) -> String {
    let mut text = String::from("iteration,step,objective,gap,nnz,nonempty_rows,seconds,candidates,pairs\n");
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for row in trace {
        text += &format!(
            "{},{},{},{},{},{},{},{},{}\n",
            row.iteration,
            number(row.step),
            number(row.objective),
            number(row.gap),
            row.nnz,
            row.nonempty_rows,
            row.elapsed.as_secs_f64(),
            row.candidates,
            row.pairs
        );
    }
    text
}

/// `bounds.csv`: the least objective known and the lower bound, without smoothing, after every pass.
pub fn bounds_csv(trace: &[Bounds]) -> String {
    let mut text = String::from("pass,upper,lower\n");
    for Bounds { pass, upper, lower } in trace {
        text += &format!("{pass},{},{lower}\n", upper.map_or(String::new(), |upper| upper.to_string()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_fields_are_quoted_only_where_needed() {
        assert_eq!((csv_field("a b"), csv_field("a,\"b\"")), ("a b".into(), "\"a,\"\"b\"\"\"".into()));
    }
}
