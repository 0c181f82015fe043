/// The scale of a `range`, as the cell of its parameters says it: `start=0 end=10 step=1`. Without a word about them it goes from 1 to 10.
struct XLSFormRange {
    /// Beyond this no bound is anything but a slip of the pen.
    private static let greatest = 1e9

    private(set) var start = 1.0
    private(set) var end = 10.0
    private(set) var step: Double?
    /// Parts of the cell that no scale here follows, as they are written.
    private(set) var unused: [String] = []

    /// Whether all of it is whole numbers.
    var isWhole: Bool { [start, end, step ?? 1].allSatisfy { $0 == $0.rounded() } }

    init(_ cell: String) {
        for part in cell.split(whereSeparator: { $0.isWhitespace || $0 == ";" || $0 == "," }) {
            let pieces = part.split(separator: "=", omittingEmptySubsequences: false)
            let value =
                pieces.count == 2
                ? Double(pieces[1]).flatMap { $0.magnitude <= Self.greatest ? $0 : nil } : nil
            switch (pieces[0].lowercased(), value) {
            case ("start", let value?): start = value
            case ("end", let value?): end = value
            case ("step", let value?) where value != 0: step = value.magnitude
            default: unused.append(String(part))
            }
        }
        // Such a scale is drawn the other way round; what may be answered is the same.
        if start > end { (start, end) = (end, start) }
    }
}
