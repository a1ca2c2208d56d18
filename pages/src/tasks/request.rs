//! A task as it is asked for, and as it is once its files are assets.

use recto_projections::Json;
use recto_projections::json::JsonMap;
use recto_store::Id;

use super::key::TaskKey;
use super::result::{Failure, Role};
use super::{TaskError, Tasks};
use crate::assets::AssetId;

/// The fields of a payload that name files, and what for.
const FIELDS: [(&str, Role); 2] = [("sources", Role::Source), ("references", Role::Reference)];
/// The most files of one task.
pub const TASK_FILES_MAX: usize = 16;
/// The most bytes of a payload, as canonical JSON.
pub const PAYLOAD_BYTES_MAX: usize = 256 * 1024;

/// A task as it is asked for.
#[derive(Clone, Debug)]
pub struct TaskRequest {
    /// What is to be done: `generate`, `edit`, … as the image service names it.
    pub task_type: Id,
    /// With what. `sources` and `references` are lists of attachments or assets; the rest is the service's.
    pub payload: JsonMap,
    /// The attempt whose failure its caller has seen: where that is the newest, another one is made. A retry of the same
    /// request finds that one.
    pub again: Option<u32>,
}

/// A task whose files are assets.
#[derive(Clone, Debug)]
pub(crate) struct Converted {
    pub key: TaskKey,
    pub payload: Json,
    pub assets: Vec<(AssetId, Role)>,
}

impl Tasks {
    /// Makes assets of all files of a request, before anything else. The inner error is a file that cannot be used.
    pub(super) async fn convert(
        &self,
        scope: &Id,
        request: &TaskRequest,
    ) -> Result<Result<Converted, Failure>, TaskError> {
        let mut payload = request.payload.clone();
        let mut assets = Vec::new();
        for (field, role) in FIELDS {
            let Some(given) = payload.get_mut(field) else { continue };
            let Json::Array(files) = given else {
                return Err(bad(field, "a list of attachments or assets"));
            };
            for file in files {
                let Json::String(text) = file else {
                    return Err(bad(field, "a list of attachments or assets"));
                };
                if assets.len() == TASK_FILES_MAX {
                    return Err(TaskError::TooLarge {
                        what: "the files of a task",
                        limit: TASK_FILES_MAX,
                    });
                }
                match self.assets().promote_text(scope, text).await {
                    Ok(asset) => {
                        assets.push((asset.id, role));
                        *text = asset.id.to_string();
                    }
                    Err(fault) => {
                        let failure = Failure::of_file(role, text, &fault);
                        return failure.map(Err).ok_or(fault.into());
                    }
                }
            }
        }
        let payload = Json::Object(payload);
        let mut text = String::new();
        super::key::canonical(&payload, &mut text);
        if text.len() > PAYLOAD_BYTES_MAX {
            return Err(TaskError::TooLarge {
                what: "the payload of a task, in bytes",
                limit: PAYLOAD_BYTES_MAX,
            });
        }
        Ok(Ok(Converted {
            key: TaskKey::of(request.task_type.as_str(), &payload),
            payload,
            assets,
        }))
    }
}

fn bad(field: &'static str, expected: &'static str) -> TaskError {
    TaskError::BadPayload { field, expected }
}
