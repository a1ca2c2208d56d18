//! The refusals of the page write contract, as problems.

use recto_pages::projections::html::HtmlError;
use recto_pages::{ContractRefusal, Entries, Id, Stale};

use super::conflict::of_stale;
use super::{Code, Problem, of_invalid};

/// Tells what stands against what was read, or what was written. `content` leads to the content in the body.
pub(super) fn of_contract(refusal: &ContractRefusal, page: &Id, content: &str) -> Problem {
    let problem = |code| Problem::new(code, refusal.to_string());
    let about = |code, nodes: &[String]| problem(code).with("nodes", nodes.to_vec());
    match refusal {
        ContractRefusal::TokenInvalid => problem(Code::ReadTokenInvalid),
        ContractRefusal::TokenExpired => problem(Code::ReadTokenExpired),
        ContractRefusal::TokenOfAnotherPage { read } => problem(Code::ReadTokenForeign).with("page", read.as_str()),
        ContractRefusal::KindChanged { read, actual } => problem(Code::KindChanged)
            .with("read", read.as_str())
            .with("actual", actual.as_str()),
        ContractRefusal::NotWritable { kind } => problem(Code::NotWritable).with("kind", kind.as_str()),
        ContractRefusal::WhiteboardReplace => problem(Code::WhiteboardReplace),
        ContractRefusal::WindowReplace => problem(Code::WindowReplace),
        ContractRefusal::ModeMismatch { read, asked } => problem(Code::WriteModeMismatch)
            .with("read", read.as_str())
            .with("asked", asked.as_str()),
        ContractRefusal::MergeOfSource { kind } => problem(Code::MergeUnsupported).with("kind", kind.as_str()),
        ContractRefusal::MergeEmpty => problem(Code::MergeEmpty).with("pointer", ""),
        ContractRefusal::ReplaceDeletes => problem(Code::ReplaceDeletes).with("pointer", "/deleteNodeIds"),
        ContractRefusal::NodesUnknown { nodes } => about(Code::NodeUnknown, nodes),
        ContractRefusal::NodesNotRead { nodes } => about(Code::NodeNotRead, nodes),
        ContractRefusal::ChangedAndDeleted { nodes } => about(Code::NodeChangedAndDeleted, nodes),
        ContractRefusal::NodesChanged { nodes, changes, stale } => {
            let Entries { listed, omitted } = changes.clone();
            since(about(Code::NodeChanged, nodes), page, stale)
                .with("changes", listed)
                .with("changesOmitted", omitted)
        }
        ContractRefusal::MergeConflict { stale } => since(problem(Code::MergeConflict), page, stale),
        ContractRefusal::StaleRead { stale, words } => {
            since(problem(Code::ReadStale), page, stale).with("words", words.clone())
        }
        ContractRefusal::ContentTooLong { limit, got } => problem(Code::ContentTooLong)
            .with("limit", *limit)
            .with("got", *got)
            .with("pointer", content),
        ContractRefusal::ContentShape { expected, .. } => problem(Code::ContentMalformed)
            .with("pointer", content)
            .with("expected", *expected),
        ContractRefusal::ContentInvalid(invalid) => of_invalid(Code::IllegalValue, content, invalid),
        ContractRefusal::Html(fault) => of_html(fault).with("pointer", content),
        ContractRefusal::NoCanvas { kind } => problem(Code::NoCanvas).with("kind", kind.as_str()),
        ContractRefusal::NodeExists { node } => problem(Code::NodeExists).with("node", node.as_str()),
        ContractRefusal::NotAnImage { node, actual } => problem(Code::NotAnImage)
            .with("node", node.as_str())
            .with("actual", actual.as_str()),
        ContractRefusal::AssetKept { node } => problem(Code::AssetKept).with("node", node.as_str()),
    }
}

fn of_html(fault: &HtmlError) -> Problem {
    let problem = |code| Problem::new(code, fault.to_string());
    match fault {
        HtmlError::TooLong { limit, got } => problem(Code::ContentTooLong).with("limit", *limit).with("got", *got),
        HtmlError::TooDeep { limit } => problem(Code::HtmlTooDeep).with("limit", *limit),
        HtmlError::Repeats => problem(Code::HtmlRepeats),
        HtmlError::NotWhole => problem(Code::HtmlNotWhole),
        HtmlError::TooManyAttributes { limit } => problem(Code::HtmlAttributes).with("limit", *limit),
        HtmlError::Refused { rule } => problem(Code::HtmlIllegal).with("rule", rule.code()),
    }
}

/// Adds where the page stands, what was committed since the read, and the conflicts.
fn since(problem: Problem, page: &Id, stale: &Stale) -> Problem {
    of_stale(problem, page, stale)
}
