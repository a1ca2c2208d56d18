//! From refusals of image tasks and delivery slots to codes.

use recto_pages::{Id, SLOTS_MAX, SlotError, TaskError};

use super::{Code, Problem, of_file, of_read, of_write};

/// Tells why a task was not begun or has no answer.
pub(crate) fn of_task(error: TaskError) -> Problem {
    let problem = |code| Problem::new(code, error.to_string());
    match &error {
        TaskError::NotFound { .. } => problem(Code::ImageTaskNotFound),
        TaskError::BadPayload { field, expected } => problem(Code::Malformed)
            .with("pointer", format!("/payload/{field}"))
            .with("expected", *expected),
        TaskError::TooLarge { limit, .. } => problem(Code::TooLarge).with("limit", *limit),
        TaskError::Service { .. } => problem(Code::ImageServiceTrouble),
        TaskError::File(fault) => of_file(&**fault),
    }
}

/// Tells why a slot of `page` was not held or filled.
pub(crate) fn of_slot(error: SlotError, page: &Id) -> Problem {
    let detail = error.to_string();
    match error {
        SlotError::TooMany => Problem::new(Code::TooManySlots, detail).with("limit", SLOTS_MAX),
        SlotError::BadBounds => Problem::new(Code::SlotBounds, detail),
        SlotError::HeldOtherwise { .. } => Problem::new(Code::SlotHeldOtherwise, detail),
        SlotError::NotFound { .. } => Problem::new(Code::SlotNotFound, detail),
        SlotError::File(fault) => of_file(fault),
        SlotError::Task(fault) => of_task(fault),
        SlotError::Read(fault) => of_read(fault, page),
        SlotError::Write(fault) => of_write(fault, page, |_| String::new()),
    }
}
