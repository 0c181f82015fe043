/// The words of a printed questionnaire that are not texts of the questionnaire, in English and German. Other languages
/// get English words. The texts of the questionnaire are in their own language in any case.
struct PrintWords: Sendable {
    let yes: String
    let no: String
    let minutes: String
    let scores: String
    let reversed: String
    let required: String
    let hidden: String
    let repeatable: String
    let severalAnswers: String
    let shownIf: String
    let and: String
    let or: String
    let to: String
    let unit: String
    let units: String
    let atMost: String
    let characters: String
    let shownAs: String
    let decimalPlaces: String
    let needsPermission: String
    let placeholder: String
    let media: String
    /// The ends and the middle of a scale.
    let anchors: [String: String]

    /// The words for the language of the texts, such as `de` or `de-AT`.
    static func of(_ language: String) -> PrintWords {
        language.lowercased().split(separator: "-").first == "de" ? german : english
    }

    static let english = PrintWords(
        yes: "yes", no: "no", minutes: "min", scores: "Scores", reversed: "reversed", required: "required",
        hidden: "not shown to participants", repeatable: "repeatable",
        severalAnswers: "several answers are possible", shownIf: "shown if", and: "and", or: "or", to: "to",
        unit: "unit", units: "units", atMost: "at most", characters: "characters", shownAs: "shown as",
        decimalPlaces: "coordinates, decimal places", needsPermission: "needs permission",
        placeholder: "shows", media: "with media",
        anchors: ["minimum": "minimum", "middle": "middle", "maximum": "maximum"])

    static let german = PrintWords(
        yes: "ja", no: "nein", minutes: "Min.", scores: "Skalen", reversed: "umgepolt",
        required: "Pflichtangabe",
        hidden: "wird Teilnehmenden nicht gezeigt", repeatable: "mehrfach ausfüllbar",
        severalAnswers: "mehrere Antworten sind möglich", shownIf: "nur wenn", and: "und", or: "oder",
        to: "bis",
        unit: "Einheit", units: "Einheiten", atMost: "höchstens", characters: "Zeichen",
        shownAs: "Darstellung:",
        decimalPlaces: "Koordinaten, Nachkommastellen", needsPermission: "braucht Erlaubnis",
        placeholder: "zeigt", media: "mit Medium",
        anchors: ["minimum": "Minimum", "middle": "Mitte", "maximum": "Maximum"])
}
