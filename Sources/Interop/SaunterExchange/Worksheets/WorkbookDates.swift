import SaunterCore

/// Converts numbers of a workbook to dates and times. Only the style of a cell shows that its number is a date.
struct WorkbookDates {
    /// The day number of 1970-01-01, counted from 1900 and from 1904.
    private static let epoch = (from1900: 25_569, from1904: 24_107)
    /// The day number of 9999-12-31, counted from 1900 and from 1904.
    private static let lastDay = (from1900: 2_958_465, from1904: 2_957_003)

    /// The indices of the styles that show a date or a time.
    let styles: Set<Int>
    /// Whether days are counted from 1904, as old Macintosh versions of Excel do.
    let countsFrom1904: Bool

    /// A stored number as `yyyy-mm-dd`, as `hh:mm:ss` if it is less than a day, or as both. Nil if it is not a date.
    func text(_ number: Double, style: Int) -> String? {
        let lastDay = countsFrom1904 ? Self.lastDay.from1904 : Self.lastDay.from1900
        guard styles.contains(style), number >= 0, number < Double(lastDay + 1) else { return nil }
        let whole = Int((number * 86_400).rounded())
        let (day, second) = (whole / 86_400, whole % 86_400)
        // The last half second of the last day is rounded to a day that is not a date.
        guard day <= lastDay else { return nil }
        let time = LocalTime(seconds: second)?.description ?? ""
        if day == 0 { return time }
        let date = LocalDate(days: self.days(day)).description
        return second == 0 ? date : "\(date)T\(time)"
    }

    /// Days since 1970-01-01. The count from 1900 includes 1900-02-29 as day 60, which did not exist, so earlier days
    /// are one lower.
    private func days(_ day: Int) -> Int {
        if countsFrom1904 { return day - Self.epoch.from1904 }
        return day - Self.epoch.from1900 + (day < 60 ? 1 : 0)
    }
}

/// Reads which styles of a workbook show a date or a time.
final class WorkbookStyles: WorkbookXMLReader {
    /// The ids of built-in number formats for dates and times, including those of East Asian calendars.
    private static let builtIn = [14...22, 27...36, 45...47, 50...58]

    private(set) var dateStyles: Set<Int> = []
    private var customFormats: [Int: Bool] = [:]
    private var isInCells = false
    private var index = 0

    override func didStart(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "numFmt":
            guard let id = attributes["numFmtId"].flatMap({ Int($0) }) else { return }
            customFormats[id] = Self.showsDateOrTime(attributes["formatCode"] ?? "")
        case "cellXfs": isInCells = true
        case "xf" where isInCells:
            let id = attributes["numFmtId"].flatMap { Int($0) } ?? 0
            if customFormats[id] ?? Self.builtIn.contains(where: { $0.contains(id) }) {
                dateStyles.insert(index)
            }
            index += 1
        default: break
        }
    }

    override func didEnd(_ name: String) { if name == "cellXfs" { isInCells = false } }

    /// Whether a format contains a year, month, day, hour or second. Quoted text, and colours, conditions and
    /// currencies in brackets, do not count.
    private static func showsDateOrTime(_ format: String) -> Bool {
        var rest = format.lowercased()[...]
        while let first = rest.popFirst() {
            switch first {
            case "\"": rest = rest.drop { $0 != "\"" }.dropFirst()
            case "\\", "_", "*": rest = rest.dropFirst()
            case "[":
                // Elapsed hours, minutes or seconds, such as [h].
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
