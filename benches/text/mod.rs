//! The texts of this folder by name.

/// Name of the file without its ending, and its text.
pub static TEXTS: [(&str, &str); 16] = [
    ("en", include_str!("en.txt")),
    ("fr", include_str!("fr.txt")),
    ("de", include_str!("de.txt")),
    ("es", include_str!("es.txt")),
    ("cs", include_str!("cs.txt")),
    ("vi", include_str!("vi.txt")),
    ("el", include_str!("el.txt")),
    ("ru", include_str!("ru.txt")),
    ("ar", include_str!("ar.txt")),
    ("he", include_str!("he.txt")),
    ("hi", include_str!("hi.txt")),
    ("ko", include_str!("ko.txt")),
    ("ja", include_str!("ja.txt")),
    ("zh", include_str!("zh.txt")),
    ("emoji", include_str!("emoji.txt")),
    ("source", include_str!("source.txt")),
];
