//! Ids for new nodes: the same for the same command and place.

const DOMAIN: &str = "recto.html.node.1";
/// What every made id begins with.
const LEAD: &str = "n-";
/// How many hex digits follow.
const DIGITS: usize = 20;

/// Makes ids from the id of the command that writes, so that a retry makes the same.
#[derive(Clone, Debug)]
pub struct NewIds(blake3::Hasher);

impl NewIds {
    /// Takes the id of the command.
    pub fn new(command: &str) -> NewIds {
        let mut hasher = blake3::Hasher::new_derive_key(DOMAIN);
        hasher.update(command.as_bytes());
        hasher.update(&[0]);
        NewIds(hasher)
    }

    /// Says whether an id has the form of those that are made.
    pub fn is_made(id: &str) -> bool {
        let digits = id.strip_prefix(LEAD).unwrap_or_default().as_bytes();
        digits.len() == DIGITS && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    }

    /// Gives the id for a place: the number of the new node in its HTML, and how often its id was taken already.
    pub(super) fn at(&self, place: usize, attempt: usize) -> String {
        let mut hasher = self.0.clone();
        hasher.update(format!("{place}/{attempt}").as_bytes());
        let hash = hasher.finalize().to_hex();
        format!("{LEAD}{}", &hash[..DIGITS])
    }
}
