//! Holds every answer of every test against the description of the API.

use std::sync::LazyLock;

use serde_json::Value as Json;

use crate::support::Answer;

static API: LazyLock<Json> = LazyLock::new(|| serde_json::to_value(recto_api::description()).unwrap());

/// Expects that the description foresees this answer: its status, its media type, its body, its code.
#[track_caller]
pub(crate) fn check(method: &str, path: &str, answer: &Answer) {
    let Some(operation) = operation(method, path) else {
        return;
    };
    let told = format!(
        "{method} {path}: {} {}",
        answer.status,
        String::from_utf8_lossy(&answer.body)
    );
    let response = &operation["responses"][answer.status.as_str()];
    assert!(response.is_object(), "this status is not described: {told}");
    let Some(content) = response["content"].as_object() else {
        assert!(answer.body.is_empty(), "no body is described: {told}");
        return;
    };
    let kind = answer
        .header("content-type")
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    let described = content
        .get(kind)
        .unwrap_or_else(|| panic!("this media type is not described: {told}"));
    if method == "HEAD" || !kind.ends_with("json") {
        return;
    }
    let body = answer.json();
    if kind == "application/problem+json" {
        let codes = response["x-codes"].as_array().unwrap();
        assert!(codes.contains(&body["code"]), "this code is not described: {told}");
    }
    let faults = faults(&described["schema"], &body, "");
    assert!(faults.is_empty(), "{faults:?}: {told}");
}

fn operation(method: &str, path: &str) -> Option<&'static Json> {
    let path = path.split('?').next().unwrap_or_default();
    let method = if method == "HEAD" {
        "get".to_owned()
    } else {
        method.to_lowercase()
    };
    let paths = API["paths"].as_object().unwrap();
    let exact = paths.get(path);
    let matching = || {
        paths
            .iter()
            .find(|(template, _)| matches(template, path))
            .map(|(_, item)| item)
    };
    exact.or_else(matching)?.get(method)
}

fn matches(template: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given)) if wanted == given || (wanted.starts_with('{') && !given.is_empty()) => {}
            _ => return false,
        }
    }
}

/// What of a value its schema does not allow. Objects have no fields but the described ones, except problems.
fn faults(schema: &Json, value: &Json, at: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/components/schemas/");
        let schema = &API["components"]["schemas"][name];
        assert!(schema.is_object(), "schema {name} is missing");
        let mut found = faults(schema, value, at);
        if name == "Problem" {
            found.retain(|fault| !fault.starts_with("undescribed"));
        }
        return found;
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fits = choices
            .iter()
            .filter(|choice| faults(choice, value, at).is_empty())
            .count();
        return if fits == 1 {
            Vec::new()
        } else {
            vec![format!("{fits} choices fit at {at}: {value}")]
        };
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let found = parts.iter().flat_map(|part| faults(part, value, at));
        return found.filter(|fault| !fault.starts_with("undescribed")).collect();
    }
    let mut found = Vec::new();
    let types: Vec<&str> = match &schema["type"] {
        Json::String(one) => vec![one],
        Json::Array(many) => many.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_of_type(value, name)) {
        return vec![format!("{types:?} at {at}: {value}")];
    }
    if schema["enum"]
        .as_array()
        .is_some_and(|allowed| !allowed.contains(value))
    {
        found.push(format!("not of the enum at {at}: {value}"));
    }
    if let Some(text) = value.as_str() {
        let length = text.chars().count() as u64;
        let (min, max) = (
            schema["minLength"].as_u64().unwrap_or(0),
            schema["maxLength"].as_u64().unwrap_or(u64::MAX),
        );
        if !(min..=max).contains(&length) {
            found.push(format!("length {length} at {at}"));
        }
    }
    if let (Some(items), true) = (value.as_array(), schema["items"].is_object()) {
        for (index, item) in items.iter().enumerate() {
            found.extend(faults(&schema["items"], item, &format!("{at}/{index}")));
        }
    }
    if let (Some(fields), Some(described)) = (value.as_object(), schema["properties"].as_object()) {
        for required in schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
        {
            if !fields.contains_key(required) {
                found.push(format!("{required} is missing at {at}"));
            }
        }
        for (name, field) in fields {
            match described.get(name) {
                Some(schema) => found.extend(faults(schema, field, &format!("{at}/{name}"))),
                None => found.push(format!("undescribed {name} at {at}")),
            }
        }
    }
    found
}

fn is_of_type(value: &Json, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
