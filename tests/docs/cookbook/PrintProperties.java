import java.io.InputStreamReader;
import java.util.Properties;
import java.util.TreeMap;

/** Prints the properties of standard input, in the charset of the argument, one per line in ASCII. */
class PrintProperties {
    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        properties.load(new InputStreamReader(System.in, arguments[0]));
        for (var entry : new TreeMap<>(properties).entrySet()) {
            System.out.println(escape(entry.getKey()) + " = " + escape(entry.getValue()));
        }
    }

    private static String escape(Object text) {
        StringBuilder escaped = new StringBuilder();
        for (char unit : text.toString().toCharArray()) {
            escaped.append(unit > ' ' && unit < 0x7F ? "" + unit : String.format("<%04X>", (int) unit));
        }
        return escaped.toString();
    }
}
