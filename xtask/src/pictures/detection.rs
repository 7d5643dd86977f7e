//! Detection: correct results by script and detector, and how often results of a probability are correct.

use anyhow::{Context, Result, ensure};

use super::{BLUE, ORANGE, Svg, table};

/// Tables by script: what precedes each, and how it is called in the picture.
const PANELS: [(&str, &str); 2] = [
    ("Samples of 20 and 50 bytes:", "20 and 50 bytes"),
    ("Samples of 100 bytes and more:", "100 bytes and more"),
];

const CELL: f64 = 44.0;
const ROW: f64 = 20.0;
const TOP: f64 = 128.0;

pub fn draw_matrix(page: &str) -> Result<String> {
    let panels = PANELS.map(|(start, _)| table(page, start));
    let panels = panels.into_iter().collect::<Result<Vec<_>>>()?;
    let (detectors, rows) = (panels[0][0].len() - 2, panels[0].len() - 1);
    let left = 90.0;
    let panel_width = CELL * detectors as f64 + 16.0;
    // The name of the last column is longer than the column.
    let width = left + panel_width * 2.0 + 24.0;
    let height = TOP + ROW * rows as f64 + 8.0;
    let mut svg = Svg::new(
        width as u32,
        height as u32,
        "Correct results of detectors by script",
        "The percentage of samples that each detector decodes correctly. The page on detection has the same numbers as tables.",
    );
    svg.text(0.0, 16.0, "font-size=\"14\" font-weight=\"bold\"", "Correct results, percent");
    for (index, (rows, (_, title))) in panels.iter().zip(PANELS).enumerate() {
        let start = left + panel_width * index as f64;
        svg.text(start, 34.0, "font-weight=\"bold\"", title);
        for (column, detector) in rows[0][2..].iter().enumerate() {
            let x = start + CELL * (column as f64 + 0.5) + 4.0;
            let name = detector.split(' ').next().unwrap_or_default();
            let y = TOP - 6.0;
            svg.text(
                x,
                y,
                &format!("font-size=\"11\" transform=\"rotate(-40 {x:.1} {y:.1})\""),
                name,
            );
        }
        for (number, row) in rows[1..].iter().enumerate() {
            let y = TOP + ROW * number as f64;
            if index == 0 {
                svg.text(left - 8.0, y + 14.0, "text-anchor=\"end\"", row[0]);
            }
            ensure!(row[0] == panels[0][number + 1][0], "the tables by script have other rows");
            for (column, cell) in row[2..].iter().enumerate() {
                let percent: f64 = cell.parse().with_context(|| format!("{row:?}"))?;
                let x = start + CELL * column as f64;
                let opacity = (percent / 100.0).powi(2) * 0.6;
                let color = if column == 0 { BLUE } else { ORANGE };
                svg.rect(
                    [x + 1.0, y + 1.0, CELL - 2.0, ROW - 2.0],
                    &format!("rx=\"2\" fill=\"{color}\" fill-opacity=\"{opacity:.2}\""),
                );
                svg.text(x + CELL / 2.0, y + 14.0, "text-anchor=\"middle\" font-size=\"11\"", cell);
            }
        }
    }
    Ok(svg.end())
}

/// The plots: their left edges, and the least percentage on both axes.
const PLOTS: [(f64, f64); 2] = [(56.0, 0.0), (456.0, 90.0)];
const PLOT_TOP: f64 = 56.0;
const PLOT_SIZE: f64 = 320.0;

/// A class of probability. The last two are percentages.
struct Class {
    results: f64,
    mean_probability: f64,
    correct: f64,
}

/// Draws how often results of a probability are correct: all classes, and those from 90 percent on.
pub fn draw_reliability(page: &str) -> Result<String> {
    let rows = table(page, "The same by the `probability` of the result")?;
    let mut classes = Vec::new();
    for row in &rows[1..] {
        let number = |index: usize| {
            let cell: &str = row.get(index).copied().unwrap_or_default();
            cell.parse::<f64>().with_context(|| format!("{row:?}"))
        };
        let (results, mean_probability, correct) = (number(1)?, number(2)?, number(3)?);
        classes.push(Class { results, mean_probability, correct });
    }
    let mut svg = Svg::new(
        800,
        424,
        "Reliability of the probability",
        "For each class of probability, the mean probability of its results and the percentage of correct ones. \
         The page on detection has the same numbers as a table.",
    );
    let heading = "font-size=\"14\" font-weight=\"bold\"";
    svg.text(0.0, 16.0, heading, "How often results of a probability are correct");
    svg.text(
        0.0,
        34.0,
        "font-size=\"11\" opacity=\"0.8\"",
        "on the dashed line the probability is exact, above it too low; areas are proportional to the number of results",
    );
    for (left, least) in PLOTS {
        draw_plot(&mut svg, left, least, &classes);
    }
    Ok(svg.end())
}

fn draw_plot(svg: &mut Svg, left: f64, least: f64, classes: &[Class]) {
    let scale = PLOT_SIZE / (100.0 - least);
    let x = |percent: f64| left + scale * (percent - least);
    let y = |percent: f64| PLOT_TOP + PLOT_SIZE - scale * (percent - least);
    let bottom = PLOT_TOP + PLOT_SIZE;
    svg.rect(
        [left, PLOT_TOP, PLOT_SIZE, PLOT_SIZE],
        "fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.5\"",
    );
    for step in 0..=5 {
        let tick = least + (100.0 - least) / 5.0 * f64::from(step);
        let label = format!("{tick}");
        svg.text(x(tick), bottom + 16.0, "text-anchor=\"middle\" font-size=\"11\"", &label);
        svg.text(left - 6.0, y(tick) + 4.0, "text-anchor=\"end\" font-size=\"11\"", &label);
        svg.line([x(tick), PLOT_TOP, x(tick), bottom], "stroke-opacity=\"0.12\"");
        svg.line([left, y(tick), left + PLOT_SIZE, y(tick)], "stroke-opacity=\"0.12\"");
    }
    let diagonal = [x(least), y(least), x(100.0), y(100.0)];
    svg.line(diagonal, "stroke-dasharray=\"4 4\" stroke-opacity=\"0.6\"");
    let center = left + PLOT_SIZE / 2.0;
    svg.text(center, bottom + 36.0, "text-anchor=\"middle\"", "mean probability, percent");
    let (label_x, label_y) = (left - 38.0, PLOT_TOP + PLOT_SIZE / 2.0);
    svg.text(
        label_x,
        label_y,
        &format!("text-anchor=\"middle\" transform=\"rotate(-90 {label_x} {label_y})\""),
        "correct results, percent",
    );
    let total: f64 = classes.iter().map(|class| class.results).sum();
    for class in classes {
        if class.mean_probability < least || class.correct < least {
            continue;
        }
        let radius = f64::max(2.5, (class.results / total).sqrt() * 22.0);
        svg.push(&format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"{BLUE}\" fill-opacity=\"0.55\" stroke=\"{BLUE}\"/>",
            x(class.mean_probability),
            y(class.correct)
        ));
    }
}
