//! Codecs that the running thread keeps for its next text.
//!
//! To make a codec takes an allocation and sometimes a lock, as long as to convert some 50 bytes. A codec in
//! [`State::INITIAL`] is as good as a new one. What the codecs of an encoding do with ASCII is kept beside them.

use std::cell::Cell;
use std::thread::LocalKey;

use crate::codec::{Checkpoint, DecodeStage, EncodeStage, State};
use crate::encoding::{Encoding, EncodingOptions, Factory};

/// The number of decoders, and of encoders, that a thread keeps.
const SLOTS: usize = 8;

thread_local! {
    static DECODERS: CodecCache<dyn DecodeStage> = const { CodecCache::new() };
    static ENCODERS: CodecCache<dyn EncodeStage> = const { CodecCache::new() };
}

/// At most one codec for each of some encodings.
#[allow(missing_debug_implementations, reason = "only a thread has one")]
pub struct CodecCache<C: ?Sized>([Slot<C>; SLOTS]);

/// What is known of the encoding that was used last among those of this slot.
struct Slot<C: ?Sized> {
    encoding: Cell<Option<&'static Encoding>>,
    codec: Cell<Option<Box<C>>>,
    keeps_ascii: Cell<Option<bool>>,
}

impl<C: ?Sized> CodecCache<C> {
    const fn new() -> CodecCache<C> {
        CodecCache([const { Slot::new() }; SLOTS])
    }

    /// Returns the slot of an encoding, which is its own until another one needs it.
    #[inline]
    fn slot(&self, encoding: &'static Encoding) -> &Slot<C> {
        let index = std::ptr::from_ref(encoding).addr() / size_of::<Encoding>() % SLOTS;
        let slot = &self.0[index];
        if slot.encoding.get() != Some(encoding) {
            slot.encoding.set(Some(encoding));
            slot.codec.set(None);
            slot.keeps_ascii.set(None);
        }
        slot
    }
}

impl<C: ?Sized> Slot<C> {
    const fn new() -> Slot<C> {
        Slot { encoding: Cell::new(None), codec: Cell::new(None), keeps_ascii: Cell::new(None) }
    }
}

/// A decoder or an encoder.
pub trait Codec: Checkpoint + 'static {
    /// The codecs of the running thread.
    const CACHE: &'static LocalKey<CodecCache<Self>>;

    /// Returns a new codec.
    fn new(encoding: &Encoding) -> Box<Self>;
}

impl Codec for dyn DecodeStage {
    const CACHE: &'static LocalKey<CodecCache<Self>> = &DECODERS;

    fn new(encoding: &Encoding) -> Box<Self> {
        encoding.decoder(&EncodingOptions::default())
    }
}

impl Codec for dyn EncodeStage {
    const CACHE: &'static LocalKey<CodecCache<Self>> = &ENCODERS;

    fn new(encoding: &Encoding) -> Box<Self> {
        encoding.encoder(&EncodingOptions::default())
    }
}

/// A codec without options, which the thread that drops it keeps.
#[allow(missing_debug_implementations, reason = "codecs have no names")]
pub struct KeptCodec<C: Codec + ?Sized> {
    encoding: &'static Encoding,
    /// `None` only while this is dropped.
    codec: Option<Box<C>>,
}

impl<C: Codec + ?Sized> KeptCodec<C> {
    /// Returns a codec in its initial state: the one that the thread has kept, or a new one.
    #[inline]
    pub fn new(encoding: &'static Encoding) -> KeptCodec<C> {
        // A thread that is ending has no cache any more.
        let kept = C::CACHE.try_with(|cache| cache.slot(encoding).codec.take()).ok().flatten();
        KeptCodec { encoding, codec: Some(kept.unwrap_or_else(|| C::new(encoding))) }
    }

    /// Returns the codec.
    #[inline]
    pub fn get(&mut self) -> &mut C {
        self.codec.get_or_insert_with(|| C::new(self.encoding))
    }
}

/// Returns whether a thread keeps codecs of this encoding: those of a list of encodings are large.
fn are_kept(encoding: &Encoding) -> bool {
    !matches!(&encoding.factory, Factory::Static(factory) if factory.list().is_some())
}

/// Calls `convert` with a codec in its initial state, as [`KeptCodec`] does, but looks it up only once.
#[inline]
pub fn with_codec<C: Codec + ?Sized, T>(
    encoding: &'static Encoding,
    convert: impl FnOnce(&mut C) -> T,
) -> T {
    let mut convert = Some(convert);
    let converted = C::CACHE.try_with(|cache| {
        let mut codec = cache.slot(encoding).codec.take()?;
        let converted = convert.take()?(&mut codec);
        codec.restore_state(State::INITIAL);
        cache.slot(encoding).codec.set(Some(codec));
        Some(converted)
    });
    match (converted, convert) {
        (Ok(Some(converted)), _) => converted,
        (_, Some(convert)) => convert(KeptCodec::new(encoding).get()),
        (_, None) => unreachable!("it returned what it converted"),
    }
}

impl<C: Codec + ?Sized> Drop for KeptCodec<C> {
    #[inline]
    fn drop(&mut self) {
        let is_kept = are_kept(self.encoding);
        let Some(mut codec) = self.codec.take().filter(|_| is_kept) else { return };
        codec.restore_state(State::INITIAL);
        let _ = C::CACHE.try_with(|cache| cache.slot(self.encoding).codec.set(Some(codec)));
    }
}

/// Returns whether codecs keep ASCII as it is, which `determine` returns the first time.
pub fn keeps_ascii<C: Codec + ?Sized>(
    encoding: &'static Encoding,
    determine: impl FnOnce() -> bool,
) -> bool {
    let known = C::CACHE.try_with(|cache| cache.slot(encoding).keeps_ascii.get());
    known.ok().flatten().unwrap_or_else(|| {
        let keeps = determine();
        let _ = C::CACHE.try_with(|cache| cache.slot(encoding).keeps_ascii.set(Some(keeps)));
        keeps
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_codec_that_is_kept_is_used_again_in_its_initial_state() {
        for encoding in Encoding::all() {
            let text = encoding.decode(b"\x1B$B$\"+AGE-\xFE\xFF\x0E~{").0;
            assert_eq!(encoding.decode(b"\x1B$B$\"+AGE-\xFE\xFF\x0E~{").0, text, "{encoding:?}");
            let mut unfinished = encoding.new_encoder();
            let bytes = encoding.encode("a日é").0;
            unfinished.encode("日é", &mut Vec::new(), false);
            drop(unfinished);
            assert_eq!(encoding.encode("a日é").0, bytes, "{encoding:?}");
        }
    }

    #[test]
    fn codecs_in_use_at_the_same_time_are_different() {
        let (mut one, mut other) = (crate::UTF_16.new_decoder(), crate::UTF_16.new_decoder());
        let mut text = String::new();
        one.decode(b"\xFE\xFF\0a", &mut text, false);
        other.decode(b"\xFF\xFEb\0", &mut text, true);
        one.decode(b"\0c", &mut text, true);
        assert_eq!(text, "abc");
    }
}
