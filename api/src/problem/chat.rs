//! From refusals of chats to codes.

use recto_pages::{ChatError, Id, ReadError};

use super::{Code, Problem, of_file, of_read};

/// Tells why a chat was not read or written.
pub(crate) fn of_chat(error: ChatError) -> Problem {
    let problem = |code| Problem::new(code, error.to_string());
    match error {
        ChatError::BadId { .. } => problem(Code::ChatIdIllegal),
        ChatError::DocumentsUnavailable(_) => problem(Code::DocumentsUnavailable),
        ChatError::TooLarge { limit, .. } => problem(Code::TooLarge).with("limit", limit),
        ChatError::CommandIdReused { .. } => problem(Code::KeyReused),
        ChatError::OutcomeUnknown { ref command } => problem(Code::OutcomeUnknown).with("command", command.as_str()),
        ChatError::File(fault) => of_file(fault),
        ChatError::Read(fault) => of_stream(fault),
    }
}

fn of_stream(fault: ReadError) -> Problem {
    match Id::new("chat") {
        Ok(chat) => of_read(fault, &chat),
        Err(_) => Problem::new(Code::Internal, fault.to_string()),
    }
}
