/// The bounds and the step of a `range`, from the cell `parameters`: `start=0 end=10 step=1`. The default is 1 to 10.
struct XLSFormRange {
    /// Bounds above this value are treated as mistakes.
    private static let maximumBound = 1e9

    private(set) var start = 1.0
    private(set) var end = 10.0
    private(set) var step: Double?
    /// The list of choices whose labels are shown at their values; nil if the cell names none.
    private(set) var labelSet: String?
    /// Parts of the cell that have no effect.
    private(set) var unused: [String] = []

    /// Whether bounds and step are whole numbers.
    var isWhole: Bool { [start, end, step ?? 1].allSatisfy { $0 == $0.rounded() } }

    init(_ cell: String) {
        for part in cell.split(whereSeparator: { $0.isWhitespace || $0 == ";" || $0 == "," }) {
            let pieces = part.split(separator: "=", omittingEmptySubsequences: false)
            let value =
                pieces.count == 2
                ? Double(pieces[1]).flatMap { $0.magnitude <= Self.maximumBound ? $0 : nil } : nil
            switch (pieces[0].lowercased(), value) {
            case ("start", let value?): start = value
            case ("end", let value?): end = value
            case ("tick_labelset", _) where pieces.count == 2 && !pieces[1].isEmpty:
                labelSet = String(pieces[1])
            case ("step", let value?) where value != 0: step = value.magnitude
            default: unused.append(String(part))
            }
        }
        // XLSForm allows a start above the end. The bounds are exchanged, because both orders allow the same answers.
        if start > end { (start, end) = (end, start) }
    }
}
