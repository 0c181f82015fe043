import SaunterCore

/// One study day of a participant as a sign and as words.
struct StudyDayView: Hashable {
    /// A sign that differs from those of all other states also without colour.
    var glyph: String
    /// The class of the style sheet.
    var state: String
    /// What a screen reader reads: the date, the counts and the state.
    var text: String
    /// The number of the study day.
    var number: Int
    /// The local date.
    var date: String

    /// The sign of each state.
    static let glyphs: [DayState: String] = [
        .onTime: "●", .late: "◐", .partly: "◔", .missed: "✕", .open: "○", .upcoming: "·", .paused: "‖",
        .notPlanned: "",
    ]

    /// - Parameters:
    ///   - day: a `ParticipantDay` of the API.
    ///   - dateText: its date in words.
    init(_ day: JSON, dateText: String, _ words: Words.Language) {
        let state = day["state"]?.string.flatMap { DayState(rawValue: $0) } ?? .notPlanned
        let values = [
            "date": dateText, "done": String(day["completed"]?.int ?? 0),
            "all": String(day["offered"]?.int ?? 0), "state": Self.name(state, words),
        ]
        let hasCounts = state != .notPlanned && state != .paused && state != .upcoming
        glyph = Self.glyphs[state] ?? ""
        self.state = state.rawValue
        text = words.text("participant", hasCounts ? "day_text" : "day_text_short", values)
        number = day["study_day"]?.int ?? 0
        date = day["date"]?.string ?? ""
    }

    /// The signs of states with their words, in a fixed order. A day without occasions has no sign.
    /// - Parameter states: the states that are shown.
    static func legend(_ states: Set<String>, _ words: Words.Language) -> [[String: String]] {
        DayState.allCases.filter { states.contains($0.rawValue) && $0 != .notPlanned }.map {
            ["glyph": glyphs[$0] ?? "", "text": name($0, words)]
        }
    }

    private static func name(_ state: DayState, _ words: Words.Language) -> String {
        words.text("participant", "day_\(state.rawValue)")
    }
}
