//! Who wrote what shows in a file.

use super::CodeWeave;
use crate::text::weave::BlamedRun;

impl CodeWeave {
    /// Tells who wrote the text of a file as it shows, as [`Weave::blame`](crate::text::weave::Weave::blame) does; nothing
    /// if no file is at the path. The text with which an event added the file is that event's.
    #[must_use]
    pub fn blame(&self, path: &str) -> Option<Vec<BlamedRun>> {
        if let Some(file) = self.places.get(path) {
            let file = &self.files[*file];
            let mut runs = file.weave.blame();
            let adder = file.added_by();
            for run in &mut runs {
                run.event = run.event.or(adder);
            }
            return Some(runs);
        }
        let untouched = self.start.file(path).filter(|_| !self.started.contains_key(path))?;
        let units = Some(untouched.len()).filter(|units| *units > 0);
        Some(units.map(BlamedRun::started).into_iter().collect())
    }
}
