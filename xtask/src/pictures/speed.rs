//! The time of other converters beside that of charpipe.

use anyhow::{Context, Result};

use super::{BLUE, ORANGE, RED, Svg, table};

/// Groups of `benches/compare`, and what they are called in the picture.
const GROUPS: [(&str, &str); 6] = [
    ("copy", "UTF-8, checked"),
    ("wide", "UTF-16 and UTF-32"),
    ("seven", "UTF-7"),
    ("8-bit", "single-byte encodings"),
    ("multi-byte", "multi-byte encodings"),
    ("normalize", "normalization"),
];

/// The heads of the columns of converters, how they are called, and their colors.
const CONVERTERS: [(&str, &str, &str); 3] = [
    ("× iconv", "iconv (glibc)", BLUE),
    ("× uconv", "uconv (ICU)", ORANGE),
    ("× sutf", "simdutf", RED),
];

/// The rows of a group that a converter was measured for.
struct Measured {
    name: &'static str,
    color: &'static str,
    rows: usize,
    least: f64,
    median: f64,
    greatest: f64,
}

const LEFT: f64 = 170.0;
const RIGHT: f64 = 700.0;
const LEAST: f64 = 0.5;
const GREATEST: f64 = 64.0;
const ROW: f64 = 17.0;

/// Returns the position of a ratio on the logarithmic axis.
fn x(ratio: f64) -> f64 {
    let part = (ratio / LEAST).log2() / (GREATEST / LEAST).log2();
    LEFT + (RIGHT - LEFT) * part.clamp(0.0, 1.0)
}

pub fn draw(page: &str) -> Result<String> {
    let groups: Vec<_> = GROUPS
        .iter()
        .map(|(marker, name)| Ok((*name, measured(page, marker)?)))
        .collect::<Result<_>>()?;
    let lines: usize = groups.iter().map(|(_, measured)| measured.len()).sum();
    let height = 62.0 + ROW * lines as f64 + 14.0 * groups.len() as f64 + 30.0;
    let mut svg = Svg::new(
        820,
        height as u32,
        "Time of other converters, as a multiple of charpipe's",
        &description(&groups),
    );
    svg.text(
        0.0,
        16.0,
        "font-size=\"14\" font-weight=\"bold\"",
        "CPU time of other converters, charpipe = 1",
    );
    svg.text(
        0.0,
        34.0,
        "font-size=\"11\" opacity=\"0.8\"",
        "median of the measured rows; the thin line is from the least to the greatest row; logarithmic",
    );
    let bottom = height - 22.0;
    for exponent in -1..=6 {
        let ratio = f64::from(exponent).exp2();
        let (width, opacity) = if exponent == 0 { (1.5, 0.9) } else { (1.0, 0.15) };
        svg.line(
            [x(ratio), 44.0, x(ratio), bottom],
            &format!("stroke-width=\"{width}\" stroke-opacity=\"{opacity}\""),
        );
        svg.text(
            x(ratio),
            bottom + 14.0,
            "text-anchor=\"middle\" font-size=\"11\"",
            &format!("{ratio}×"),
        );
    }
    svg.text(x(1.0) - 5.0, 54.0, "text-anchor=\"end\" font-size=\"11\"", "faster");
    svg.text(x(1.0) + 5.0, 54.0, "font-size=\"11\"", "slower than charpipe");
    let mut y = 62.0;
    for (name, measured) in &groups {
        let middle = y + ROW * measured.len() as f64 / 2.0 + 4.0;
        svg.text(0.0, middle, "font-weight=\"bold\"", name);
        for one in measured {
            let (start, end) = (x(one.median.min(1.0)), x(one.median.max(1.0)));
            svg.rect(
                [start, y + 2.0, (end - start).max(1.0), ROW - 5.0],
                &format!("fill=\"{}\" fill-opacity=\"0.75\"", one.color),
            );
            let center = y + ROW / 2.0 - 0.5;
            svg.line([x(one.least), center, x(one.greatest), center], "stroke-width=\"1\"");
            let label =
                format!("{:.*}× {}", usize::from(one.median < 2.0) + 1, one.median, one.name);
            svg.text(x(one.greatest.max(1.0)) + 5.0, y + 12.0, "font-size=\"11\"", &label);
            y += ROW;
        }
        y += 14.0;
    }
    Ok(svg.end())
}

fn measured(page: &str, marker: &str) -> Result<Vec<Measured>> {
    let rows = table(page, &format!("<!-- converters: {marker} -->"))?;
    let mut all = Vec::new();
    for (head, name, color) in CONVERTERS {
        let Some(column) = rows[0].iter().position(|cell| *cell == head) else { continue };
        let mut ratios = Vec::new();
        for row in &rows[1..] {
            let cell = row.get(column).context("a row is incomplete")?;
            if *cell != "-" {
                let number = cell.split(' ').next().unwrap_or_default();
                ratios.push(number.parse::<f64>().with_context(|| format!("{marker}: {cell}"))?);
            }
        }
        ratios.sort_by(f64::total_cmp);
        let (Some(least), Some(greatest)) = (ratios.first(), ratios.last()) else { continue };
        all.push(Measured {
            name,
            color,
            rows: ratios.len(),
            least: *least,
            median: f64::midpoint(ratios[(ratios.len() - 1) / 2], ratios[ratios.len() / 2]),
            greatest: *greatest,
        });
    }
    Ok(all)
}

fn description(groups: &[(&str, Vec<Measured>)]) -> String {
    let of = |(name, all): &(&str, Vec<Measured>)| {
        let parts = all.iter().map(|one| {
            format!(
                "{} {:.2} ({:.2} to {:.2} in {} rows)",
                one.name, one.median, one.least, one.greatest, one.rows
            )
        });
        format!("{name}: {}.", parts.collect::<Vec<_>>().join(", "))
    };
    groups.iter().map(of).collect::<Vec<_>>().join(" ")
}
