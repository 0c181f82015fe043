/// Writes names, labels and numbers in Prometheus' text format, version 0.0.4.
enum PrometheusText {
    /// The name of a metric: `[a-zA-Z_:][a-zA-Z0-9_:]*`. Other characters become `_`.
    static func metricName(_ text: String) -> String { name(text, allowsColon: true) }

    /// The name of a label: like that of a metric, without colons. Names that begin with `__` are reserved by
    /// Prometheus, and `le` is used by histograms; both get a prefix.
    static func labelName(_ text: String) -> String {
        let name = name(text, allowsColon: false)
        return name == "le" || name.hasPrefix("__") ? "label_\(name)" : name
    }

    /// The text between the braces: the labels of a series, sorted by name. If two labels have the same name, the first
    /// is used. Values are truncated to 200 characters.
    static func labels(_ dimensions: [(String, String)]) -> String {
        var seen: Set<String> = []
        let pairs = dimensions.map { (labelName($0.0), $0.1) }.filter { seen.insert($0.0).inserted }
        return pairs.sorted { $0.0 < $1.0 }.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
    }

    /// The line of one sample.
    static func sample(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// A number in the syntax of Prometheus.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    /// The value of a label. Backslash, quote and line feed are escaped; other control characters become spaces.
    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.prefix(200).unicodeScalars {
            switch scalar {
            case "\\": text += #"\\"#
            case "\"": text += #"\""#
            case "\n": text += #"\n"#
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func name(_ text: String, allowsColon: Bool) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8.prefix(150) {
            let isLetter =
                (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
                || (allowsColon && byte == UInt8(ascii: ":"))
            let isDigit = (0x30...0x39).contains(byte)
            if isDigit, bytes.isEmpty { bytes.append(UInt8(ascii: "_")) }
            bytes.append(isLetter || isDigit ? byte : UInt8(ascii: "_"))
        }
        return bytes.isEmpty ? "_" : String(decoding: bytes, as: UTF8.self)
    }
}
