import SaunterCore

/// Which numbers of a workbook are dates and times: only their style tells.
struct WorkbookMoments {
    /// 1970-01-01, and the same counted from 1904.
    private static let epoch = (from1900: 25_569, from1904: 24_107)
    private static let lastDay = 2_958_465.0

    /// Places of the styles that show a date or a time.
    let styles: Set<Int>
    /// Whether days are counted from 1904, as the first workbooks of the Macintosh did.
    let isFrom1904: Bool

    /// A stored number as `yyyy-mm-dd`, `hh:mm:ss` where it is less than a day, or both; nil where it is no date.
    func text(_ number: Double, style: Int) -> String? {
        guard styles.contains(style), number >= 0, number < Self.lastDay else { return nil }
        let whole = Int((number * 86_400).rounded())
        let (day, second) = (whole / 86_400, whole % 86_400)
        let time = LocalTime(seconds: second)?.description ?? ""
        if day == 0 { return time }
        let date = LocalDate(days: self.days(day)).description
        return second == 0 ? date : "\(date)T\(time)"
    }

    /// Days since 1970. Of those from 1900 the sixtieth, the 29th of February, never was: before it the count is one behind.
    private func days(_ day: Int) -> Int {
        if isFrom1904 { return day - Self.epoch.from1904 }
        return day - Self.epoch.from1900 + (day < 60 ? 1 : 0)
    }
}

/// The styles of a workbook that show a date or a time.
final class WorkbookStyles: WorkbookElements {
    /// Formats that workbooks have without saying so, those of eastern calendars among them.
    private static let builtIn = [14...22, 27...36, 45...47, 50...58]

    private(set) var moments: Set<Int> = []
    private var own: [Int: Bool] = [:]
    private var isInCells = false
    private var place = 0

    override func begin(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "numFmt":
            guard let id = attributes["numFmtId"].flatMap({ Int($0) }) else { return }
            own[id] = Self.showsMoment(attributes["formatCode"] ?? "")
        case "cellXfs": isInCells = true
        case "xf" where isInCells:
            let id = attributes["numFmtId"].flatMap { Int($0) } ?? 0
            if own[id] ?? Self.builtIn.contains(where: { $0.contains(id) }) { moments.insert(place) }
            place += 1
        default: break
        }
    }

    override func end(_ name: String) { if name == "cellXfs" { isInCells = false } }

    /// Whether a format has places for a year, a month, a day, an hour or a second. What it quotes, and colours, conditions and
    /// currencies in its brackets, are none.
    private static func showsMoment(_ format: String) -> Bool {
        var rest = format.lowercased()[...]
        while let first = rest.popFirst() {
            switch first {
            case "\"": rest = rest.drop { $0 != "\"" }.dropFirst()
            case "\\", "_", "*": rest = rest.dropFirst()
            case "[":
                // Hours, minutes and seconds that go on beyond a day.
                let inner = rest.prefix { $0 != "]" }
                if let unit = inner.first, "hms".contains(unit), inner.allSatisfy({ $0 == unit }) {
                    return true
                }
                rest = rest.dropFirst(inner.count)
            default: if "ymdhs".contains(first) { return true }
            }
        }
        return false
    }
}
