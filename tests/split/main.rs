mod exploration;
use charpipe::internals::encoding::{Encoding, EncodingOptions};
use exploration::*;
use std::collections::BTreeMap;

fn ranges(bytes: &[u32]) -> String {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for &b in bytes {
        match out.last_mut() {
            Some(l) if l.1 + 1 == b => l.1 = b,
            _ => out.push((b, b)),
        }
    }
    out.iter()
        .map(|(a, b)| if a == b { format!("{a:02X}") } else { format!("{a:02X}-{b:02X}") })
        .collect::<Vec<_>>()
        .join(" ")
}

fn sample_chars() -> Vec<char> {
    let mut v: Vec<char> = (0..128u8).map(char::from).collect();
    let extra = "\u{A0}¥©éêÊÄñ\u{152}\u{300}\u{301}\u{303}\u{304}\u{309}\u{30C}\u{323}\u{2E5}\u{2E9}\u{254}\u{28C}\u{25A}\u{E6}ăơươ\u{401}\u{416}\u{5D0}\u{5E9}\u{5C1}\u{5B0}\u{5BC}\u{627}\u{644}\u{64B}\u{E01}\u{E33}\u{905}\u{915}\u{93C}\u{94D}\u{937}\u{99A}\u{A15}\u{A70}\u{A02}\u{B95}\u{BC6}\u{BC7}\u{BBE}\u{BD7}\u{BC8}\u{BB7}\u{BCD}\u{BB8}\u{BB0}\u{BC0}\u{304B}\u{309A}\u{304D}\u{31F7}\u{30BB}\u{30AB}\u{4E00}\u{4E2D}\u{65E5}\u{6587}\u{9FA5}\u{AC00}\u{D55C}\u{E000}\u{E5E5}\u{F8F8}\u{F600}\u{FEFF}\u{FF71}\u{FF9E}\u{FF9F}\u{FFFD}\u{FFE5}\u{10000}\u{1F600}\u{20000}\u{2000B}\u{10FFFF}\u{2028}\u{85}\u{200C}\u{200D}\u{20AC}\u{203E}";
    v.extend(extra.chars());
    v.extend((1..0x100u32).filter_map(|h| char::from_u32(h * 256 + 0x42)));
    v.sort();
    v.dedup();
    v
}

#[test]
fn print_derived() {
    let only = std::env::var("ENCODING").ok();
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut egroups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let chars = sample_chars();
    let mut slow = Vec::new();
    for e in Encoding::all() {
        if only.as_ref().is_some_and(|o| !e.name().contains(&**o)) {
            continue;
        }
        let t = std::time::Instant::now();
        let o = EncodingOptions::default();
        let mut a = DecoderAutomaton { decoder: e.decoder(&o), remembered: None };
        let symbols: Vec<Vec<u8>> = (0..=255u8).map(|b| vec![b]).collect();
        let x = explore(
            &mut a,
            vec![Configuration::initial()],
            &symbols,
            |s| {
                b"\n\r\x0E\x0F\x1B\x15\x25 $(!&+-~0AJBNOKz{}\x40\x60\x7F\x80\x81\x8E\x8F\x9F\xA0\xA1\xC0\xD8\xDC\xE0\xED\xEF\xF0\xF4\xFC\xFE\xFF".contains(&s[0])
            },
            |_| false,
        );
        let d: Vec<u32> = x.synchronizing.iter().map(|(s, _)| u32::from(s[0])).collect();
        let init = x
            .synchronizing
            .iter()
            .all(|(_, c)| c.state == charpipe::internals::codec::State::INITIAL);
        let many: std::collections::HashSet<_> =
            x.synchronizing.iter().map(|(_, c)| c.state).collect();
        let t1 = t.elapsed();
        groups
            .entry(format!("{} init={init} targets={}", ranges(&d), many.len()))
            .or_default()
            .push(format!("{}({})", e.name(), x.configurations.len()));
        let mut a = EncoderAutomaton(e.encoder(&o));
        let y = explore(
            &mut a,
            vec![Configuration::initial()],
            &chars,
            |s| "\n\ra0+-&~é\u{301}\u{4E00}\u{AC00}\u{416}\u{304B}\u{309A}".contains(*s),
            |_| false,
        );
        let all = y.synchronizing.len() == chars.len();
        let lf = y
            .synchronizing
            .iter()
            .find(|(c, _)| *c == '\n')
            .map(|(_, c)| c.state == charpipe::internals::codec::State::INITIAL);
        egroups.entry(format!("all={all} lf-initial={lf:?}")).or_default().push(format!(
            "{}({})",
            e.name(),
            y.configurations.len()
        ));
        if t.elapsed().as_millis() > 300 {
            slow.push(format!("{} {:?} {:?}", e.name(), t1, t.elapsed() - t1));
        }
    }
    for (k, v) in groups.iter().chain(&egroups) {
        println!(
            "{k}\n    {} {}",
            v.len(),
            v.iter().take(120).cloned().collect::<Vec<_>>().join(" ")
        );
    }
    println!("slow: {slow:?}");
}
