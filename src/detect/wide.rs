//! UTF-16 and UTF-32, with the byte order mark or without.

use super::trial::Trial;

/// What is tried without a mark. UTF-32 comes first: hardly anything else is valid in it.
const UNMARKED: [&str; 4] = ["UTF-32LE", "UTF-32BE", "UTF-16LE", "UTF-16BE"];

/// Trials over the whole input.
#[derive(Default)]
pub(super) struct Wide {
    trials: Vec<Trial>,
    /// Whether a mark says which it is.
    marked: bool,
}

impl Wide {
    /// Begins: with the charset that a mark calls for, else with every one.
    pub(super) fn begin(&mut self, mark: Option<&str>) {
        let names = mark.as_ref().map_or(&UNMARKED[..], std::slice::from_ref);
        self.trials = names.iter().filter_map(|name| Trial::of(name)).collect();
        self.marked = mark.is_some();
        if self.marked {
            self.trials.iter_mut().for_each(Trial::read_all);
        }
    }

    /// Looks at the next bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.trials.iter_mut().for_each(|trial| trial.add(bytes));
        if !self.marked {
            self.trials.retain(Trial::stands);
        }
    }

    /// The input ends here.
    pub(super) fn end(&mut self) {
        self.trials.iter_mut().for_each(Trial::end);
    }

    /// Whether nothing is left to try.
    pub(super) fn is_over(&self) -> bool {
        self.trials.is_empty()
    }

    /// What the mark calls for.
    pub(super) fn marked(&self) -> Option<&Trial> {
        self.trials.first().filter(|_| self.marked)
    }

    /// What the input looks like without a mark, the best first.
    pub(super) fn unmarked(&self) -> Vec<&Trial> {
        let fits = |trial: &&Trial| {
            let scrap = trial.is_cut() && trial.sight.is_short();
            trial.stands() && trial.sight.is_plausible() && !scrap
        };
        let mut fitting: Vec<&Trial> = self.trials.iter().filter(fits).collect();
        // The sort keeps UTF-32 in front where both are the same.
        fitting.sort_by_key(|trial| std::cmp::Reverse(trial.sight.anchors()));
        fitting
    }
}
