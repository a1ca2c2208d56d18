//! The table of BENCHMARKS.md: Recto, the floor, their ratio, and how a figure grows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::figures::{Figure, RECTO, Unit};
use crate::goals;

/// All figures as one Markdown table, one row for each group and size.
#[must_use]
pub fn markdown(figures: &[Figure]) -> String {
    let mut table = String::from(HEAD);
    let mut groups: BTreeMap<&str, Vec<&Figure>> = BTreeMap::new();
    for figure in figures {
        groups.entry(&figure.group).or_default().push(figure);
    }
    for (group, figures) in groups {
        add_group(&mut table, group, &figures);
    }
    table
}

const HEAD: &str =
    "| what | size | Recto | p99 | floor | Recto / floor | growth | goal |\n|---|---|---|---|---|---|---|---|\n";

fn add_group(table: &mut String, group: &str, figures: &[&Figure]) {
    let sizes: BTreeSet<u64> = figures.iter().map(|figure| figure.size).collect();
    let ours: Vec<&Figure> = figures.iter().copied().filter(|figure| figure.who == RECTO).collect();
    let growth = exponent(&ours)
        .map(|exponent| format!("{exponent:+.2}"))
        .unwrap_or_default();
    for (index, size) in sizes.iter().enumerate() {
        let first = index == 0;
        let own = ours.iter().find(|figure| figure.size == *size);
        let floors: Vec<&&Figure> = figures
            .iter()
            .filter(|figure| figure.who != RECTO && figure.size == *size)
            .collect();
        let cells = [
            group.to_owned(),
            if *size == 0 {
                String::new()
            } else {
                grouped(&size.to_string())
            },
            own.map(|figure| amount(figure.median, figure.unit)).unwrap_or_default(),
            own.and_then(|figure| figure.p99.map(|p99| amount(p99, figure.unit)))
                .unwrap_or_default(),
            join(
                floors
                    .iter()
                    .map(|floor| format!("{} ({})", amount(floor.median, floor.unit), floor.who)),
            ),
            join(floors.iter().filter_map(|floor| own.map(|own| ratio(own, floor)))),
            if first { growth.clone() } else { String::new() },
            if first {
                goals::of(group).unwrap_or_default().to_owned()
            } else {
                String::new()
            },
        ];
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {} |", cells.join(" | "));
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join("; ")
}

fn ratio(own: &Figure, floor: &Figure) -> String {
    if own.unit == floor.unit && floor.median > 0.0 {
        format!("{:.2}", own.median / floor.median)
    } else {
        String::new()
    }
}

/// By which power of the size a figure grows: the slope of the logarithms, by least squares.
/// `None` below three sizes.
fn exponent(figures: &[&Figure]) -> Option<f64> {
    let points: Vec<(f64, f64)> = figures
        .iter()
        .filter(|figure| figure.size > 0 && figure.median > 0.0)
        .map(|figure| (size(figure.size).ln(), figure.median.ln()))
        .collect();
    if points.len() < 3 {
        return None;
    }
    let count = crate::figures::to_f64(points.len());
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let above = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>();
    let below = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>();
    Some(above / below)
}

fn size(size: u64) -> f64 {
    crate::figures::to_f64(usize::try_from(size).unwrap_or(usize::MAX))
}

/// A number with its unit, in three digits or so.
fn amount(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Nanoseconds if value < 1e3 => format!("{value:.0} ns"),
        Unit::Nanoseconds if value < 1e6 => format!("{} µs", digits(value / 1e3)),
        Unit::Nanoseconds if value < 1e9 => format!("{} ms", digits(value / 1e6)),
        Unit::Nanoseconds => format!("{} s", digits(value / 1e9)),
        Unit::PerSecond => format!("{}/s", grouped(&format!("{value:.0}"))),
        Unit::Bytes => format!("{} B", digits(value)),
    }
}

fn digits(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}"),
        value if value < 100.0 => format!("{value:.1}"),
        value => grouped(&format!("{value:.0}")),
    }
}

/// Thousands kept apart by commas.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_ratio_and_growth() {
        let figures: Vec<Figure> = [(100, 1e4), (1_000, 1e5), (10_000, 1e6)]
            .into_iter()
            .flat_map(|(size, median)| {
                [
                    Figure::single("diff", RECTO, size, median, Unit::Nanoseconds),
                    Figure::single("diff", "read both", size, 5e3, Unit::Nanoseconds),
                ]
            })
            .collect();
        let table = markdown(&figures);
        assert!(
            table.contains("| diff | 1,000 | 100 µs |  | 5.00 µs (read both) | 20.00 |"),
            "{table}"
        );
        assert!(table.contains("| +1.00 |"), "{table}");
    }
}
