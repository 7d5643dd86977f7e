// Puts questions to the charsets of the Java platform, by the protocol that peers.py describes.

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

class Converters {
    static final int REFUSED = 0xFF;
    static final int CUT = 0xFE;

    public static void main(String[] arguments) throws IOException {
        InputStream asked = new BufferedInputStream(System.in);
        OutputStream told = new BufferedOutputStream(System.out);
        told.write(("Java=" + Runtime.version().feature() + "\n").getBytes());
        told.flush();
        for (String line = line(asked); !line.isEmpty(); line = line(asked)) {
            String[] words = line.split(" ");
            byte[] data = asked.readNBytes(Integer.parseInt(words[4]));
            if (!words[1].equals("-")) {
                byte[] answer = convert(words[1], words[2], words[3], data);
                told.write((answer == null ? "refuses\n" : "gives " + answer.length + "\n").getBytes());
                told.write(answer == null ? new byte[0] : answer);
            }
            told.flush();
        }
    }

    static String line(InputStream asked) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = asked.read(); next != '\n' && next != -1; next = asked.read()) {
            line.append((char) next);
        }
        return line.toString();
    }

    static byte[] convert(String mode, String from, String to, byte[] data) {
        boolean decodes = to.equals("UTF-8");
        return switch (mode) {
            case "labels" -> labels();
            case "units" -> units(Charset.forName(decodes ? from : to), decodes, data);
            case "ignore" -> encoded(Charset.forName(to), CodingErrorAction.IGNORE, data);
            default -> encoded(Charset.forName(to), CodingErrorAction.REPORT, data);
        };
    }

    static byte[] labels() {
        StringBuilder lines = new StringBuilder();
        for (Charset charset : Charset.availableCharsets().values()) {
            lines.append(charset.name() + "\t" + charset.name() + "\n");
            for (String alias : charset.aliases()) {
                lines.append(alias + "\t" + charset.name() + "\n");
            }
        }
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    static byte[] encoded(Charset charset, CodingErrorAction action, byte[] text) {
        if (!charset.canEncode()) {
            return new byte[0];
        }
        CharsetEncoder encoder =
                charset.newEncoder().onUnmappableCharacter(action).onMalformedInput(action);
        try {
            CharBuffer characters = CharBuffer.wrap(new String(text, StandardCharsets.UTF_8));
            return bytes(encoder.encode(characters));
        } catch (CharacterCodingException unmappable) {
            return null;
        }
    }

    static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    static byte[] units(Charset charset, boolean decodes, byte[] data) {
        ByteArrayOutputStream results = new ByteArrayOutputStream();
        CharsetDecoder decoder = charset.newDecoder();
        CharsetEncoder encoder = decodes || !charset.canEncode() ? null : charset.newEncoder();
        for (int at = 0; at < data.length; ) {
            int length = data[at] & 0xFF;
            ByteBuffer unit = ByteBuffer.wrap(data, at + 1, length).slice();
            at += 1 + length;
            byte[] result;
            try {
                if (decodes) {
                    String text = decoder.decode(unit).toString();
                    result = text.getBytes(StandardCharsets.UTF_8);
                } else if (encoder == null) {
                    throw new CharacterCodingException();
                } else {
                    result = bytes(encoder.encode(StandardCharsets.UTF_8.decode(unit)));
                }
            } catch (CharacterCodingException refused) {
                results.write(decodes && isCut(decoder, unit.rewind()) ? CUT : REFUSED);
                continue;
            }
            results.write(result.length);
            results.writeBytes(result);
        }
        return results.toByteArray();
    }

    // Whether the decoder would wait for more.
    static boolean isCut(CharsetDecoder decoder, ByteBuffer unit) {
        CoderResult result = decoder.reset().decode(unit, CharBuffer.allocate(100), false);
        return result.isUnderflow() && unit.hasRemaining();
    }
}
