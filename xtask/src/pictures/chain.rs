//! A chain as a diagram: the steps of one command, with what each of them passes on.

use super::{BLUE, GREEN, ORANGE, Svg};

/// What a step reads and writes.
#[derive(Clone, Copy)]
enum Kind {
    TransformOfBytes,
    Decoder,
    TransformOfText,
    Encoder,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Kind::TransformOfBytes | Kind::TransformOfText => "transform",
            Kind::Decoder => "decoder",
            Kind::Encoder => "encoder",
        }
    }
}

struct Step {
    name: &'static str,
    kind: Kind,
    /// What it passes on.
    output: &'static str,
}

const fn step(name: &'static str, kind: Kind, output: &'static str) -> Step {
    Step { name, kind, output }
}

/// `printf 'Gr=FC=DFe\n' | charpipe -f latin1/qp --via nfd -t utf-8/crlf`
const STEPS: [Step; 5] = [
    step("qp", Kind::TransformOfBytes, "47 72 FC DF 65 0A"),
    step("latin1", Kind::Decoder, "Grüße LF"),
    step("nfd", Kind::TransformOfText, "Gru U+0308 ße LF"),
    step("crlf", Kind::TransformOfText, "Gru U+0308 ße CR LF"),
    step("utf-8", Kind::Encoder, "47 72 75 CC 88 C3 …"),
];

const PICTURE_WIDTH: f64 = 860.0;
const LEFT: f64 = 116.0;
const WIDTH: f64 = 96.0;
const GAP: f64 = 46.0;
const HEIGHT: f64 = 46.0;
/// The tops of the steps on bytes, and of those on text.
const BYTES_Y: f64 = 62.0;
const TEXT_Y: f64 = 150.0;

pub fn draw() -> String {
    let mut svg = Svg::new(
        PICTURE_WIDTH as u32,
        286,
        "A chain of charpipe",
        "Quoted-printable is decoded, its bytes are decoded from ISO-8859-1 to text, the text is decomposed, its line \
         endings become CRLF, and it is encoded in UTF-8. Errors have their position in the input file.",
    );
    svg.text(
        PICTURE_WIDTH / 2.0,
        22.0,
        "text-anchor=\"middle\" font-family=\"monospace\" font-size=\"14\"",
        "charpipe -f latin1/qp --via nfd -t utf-8/crlf",
    );
    for (y, name) in [(BYTES_Y, "bytes"), (TEXT_Y, "text")] {
        let lane = [0.0, y - 14.0, PICTURE_WIDTH, HEIGHT + 28.0];
        svg.rect(lane, "rx=\"6\" fill-opacity=\"0.06\"");
        svg.text(8.0, y + 2.0, "font-size=\"11\" opacity=\"0.75\"", name);
    }
    let small = "font-family=\"monospace\" font-size=\"11\"";
    svg.text(8.0, BYTES_Y + 27.0, small, "Gr=FC=DFe LF");
    // The height of the arrow from the previous step.
    let mut y = BYTES_Y + HEIGHT / 2.0;
    for (index, step) in STEPS.iter().enumerate() {
        let x = LEFT + (WIDTH + GAP) * index as f64;
        let length = if index == 0 { 18.0 } else { GAP };
        arrow(&mut svg, x - length + 1.0, x - 1.0, y);
        let (top, height, color, next) = match step.kind {
            Kind::TransformOfBytes => (BYTES_Y, HEIGHT, BLUE, BYTES_Y),
            Kind::TransformOfText => (TEXT_Y, HEIGHT, GREEN, TEXT_Y),
            Kind::Decoder => (BYTES_Y, TEXT_Y + HEIGHT - BYTES_Y, ORANGE, TEXT_Y),
            Kind::Encoder => (BYTES_Y, TEXT_Y + HEIGHT - BYTES_Y, ORANGE, BYTES_Y),
        };
        y = next + HEIGHT / 2.0;
        svg.rect(
            [x, top, WIDTH, height],
            &format!("rx=\"5\" fill=\"{color}\" fill-opacity=\"0.25\" stroke=\"{color}\""),
        );
        let (center, middle) = (x + WIDTH / 2.0, top + height / 2.0);
        svg.text(
            center,
            middle - 2.0,
            "text-anchor=\"middle\" font-family=\"monospace\" font-size=\"14\" font-weight=\"bold\"",
            step.name,
        );
        let below = "text-anchor=\"middle\" font-size=\"11\"";
        svg.text(center, middle + 14.0, below, step.kind.name());
        svg.text(center, 252.0, &format!("text-anchor=\"middle\" {small}"), step.output);
    }
    let end = LEFT + (WIDTH + GAP) * STEPS.len() as f64 - GAP;
    arrow(&mut svg, end + 1.0, end + 28.0, y);
    svg.text(8.0, 252.0, "font-size=\"11\" opacity=\"0.75\"", "passes on:");
    svg.text(
        8.0,
        278.0,
        "font-size=\"11\"",
        "An error in any step has its line, column and byte offset in the input file, and is handled by the error action.",
    );
    svg.end()
}

fn arrow(svg: &mut Svg, start: f64, end: f64, y: f64) {
    let (base, top, bottom) = (end - 8.0, y - 4.0, y + 4.0);
    svg.line([start, y, base, y], "stroke-width=\"1.5\"");
    svg.push(&format!("<path d=\"M{base:.1} {top:.1} {end:.1} {y:.1} {base:.1} {bottom:.1}z\"/>"));
}
