//! Every call is held against `api/image-service.json`, which is what a maker of a real service goes by.

use serde_json::Value;

const DOCUMENT: &str = include_str!("../../../../api/image-service.json");

/// The description of an image service.
pub(crate) struct Contract(Value);

/// One call, as it was asked and answered.
pub(crate) struct Call<'a> {
    pub method: &'a str,
    pub route: &'a str,
    pub has_key: bool,
    pub request: &'a [u8],
    pub status: u16,
    pub answer: &'a [u8],
}

impl Contract {
    pub(crate) fn read() -> Self {
        Self(serde_json::from_str(DOCUMENT).expect("api/image-service.json is JSON"))
    }

    /// What is wrong with a call, if anything.
    pub(crate) fn check(&self, call: &Call<'_>) -> Option<String> {
        let fault = self.fault(call).err()?;
        Some(format!("{} {}: {fault}", call.method, call.route))
    }

    fn fault(&self, call: &Call<'_>) -> Result<(), String> {
        let operation = &self.0["paths"][call.route][call.method.to_ascii_lowercase()];
        if operation.is_null() {
            return Err("the document has no such operation".to_owned());
        }
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let takes_key = parameters.into_iter().any(|one| one["name"] == "Idempotency-Key");
        if takes_key != call.has_key {
            return Err("the Idempotency-Key is there, or not, against the document".to_owned());
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        match (body.is_null(), call.request.is_empty()) {
            (true, true) => {}
            (false, false) => self.fits(body, &json(call.request)?, "the request")?,
            _ => return Err("the body is there, or not, against the document".to_owned()),
        }
        let answer = self.followed(&operation["responses"][call.status.to_string()]);
        if answer.is_null() {
            return Err(format!("the document has no answer {}", call.status));
        }
        match &answer["content"]["application/json"]["schema"] {
            Value::Null => Ok(()),
            schema => self.fits(schema, &json(call.answer)?, "the answer"),
        }
    }

    fn followed<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(name) => self
                .0
                .pointer(name.trim_start_matches('#'))
                .expect("a reference leads somewhere"),
            None => schema,
        }
    }

    fn fits(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let schema = self.followed(schema);
        let is_of_type = match schema["type"].as_str() {
            None => true,
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("integer") => value.is_u64(),
            Some("boolean") => value.is_boolean(),
            Some(other) => return Err(format!("{at}: the type {other} is not known here")),
        };
        let choices = schema["enum"].as_array();
        if !is_of_type || choices.is_some_and(|choices| !choices.contains(value)) {
            return Err(format!("{at} is {value}, and should be {schema}"));
        }
        if let (Some(max), Some(text)) = (schema["maxLength"].as_u64(), value.as_str())
            && u64::try_from(text.len()).expect("a length") > max
        {
            return Err(format!("{at} is longer than {max}"));
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().expect("a name");
            if value[name].is_null() {
                return Err(format!("{at} has no {name}"));
            }
        }
        for (name, field) in value.as_object().into_iter().flatten() {
            match &schema["properties"][name] {
                Value::Null if schema["properties"].is_object() => return Err(format!("{at}: {name} is not known")),
                Value::Null => {}
                schema => self.fits(schema, field, &format!("{at}/{name}"))?,
            }
        }
        for item in value.as_array().into_iter().flatten() {
            self.fits(&schema["items"], item, &format!("{at}/…"))?;
        }
        Ok(())
    }
}

fn json(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|fault| format!("this is no JSON: {fault}"))
}
