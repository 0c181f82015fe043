import SaunterCore

/// The words of the readable page of a participant's own data, in English and German. Participants with another
/// language get English. The texts of questionnaires and of the study are in the participant's language in any case.
struct OwnDataWords: Sendable {
    /// A word or sentence of the page.
    enum Word: Sendable, CaseIterable {
        case title, about, made, account, participation, consents, permissions, answers, walks, files
        case yes, no, none, permitted, revoked, revision, changedLater, deleted, duplicate
        case question, answer, score, value, when, kind, file, content
        case duration, distance, speed, heartRate, energy
    }

    /// The language of the words, for the attribute `lang`.
    let language: String
    let words: [Word: String]
    /// Member of the account or of the enrolment -> its name. Members without a name are only in the files.
    let members: [String: String]
    /// File or folder -> what it contains.
    let contents: [String: String]
    private let missing: [String: String]

    /// The words for a participant's language.
    init(language: String) {
        self = language.lowercased().hasPrefix("de") ? .german : .english
    }

    subscript(_ word: Word) -> String { words[word] ?? "\(word)" }

    /// Why there is no answer.
    func missing(_ reason: MissingReason) -> String { missing[reason.code] ?? reason.code }

    private init(
        language: String, words: [Word: String], members: [String: String], contents: [String: String],
        missing: [String: String]
    ) {
        self.language = language
        self.words = words
        self.members = members
        self.contents = contents
        self.missing = missing
    }

    static let english = OwnDataWords(
        language: "en",
        words: [
            .title: "Your data",
            .about: """
            This page shows your data in this study. The files beside it contain everything that is stored about \
            you, in a form that programs can read.
            """,
            .made: "Made on", .account: "Your account", .participation: "Your participation",
            .consents: "Your consents", .permissions: "Kinds of data", .answers: "Your answers",
            .walks: "Your walks", .files: "The files", .yes: "yes", .no: "no", .none: "There are none.",
            .permitted: "permitted", .revoked: "withdrawn", .revision: "Version",
            .changedLater: "You changed these answers later.",
            .deleted: "You deleted these answers.",
            .duplicate: "These are further answers for the same occasion.",
            .question: "Question", .answer: "Answer", .score: "Score", .value: "Value", .when: "When",
            .kind: "Kind of data", .file: "File", .content: "Content", .duration: "Duration (min)",
            .distance: "Distance (km)", .speed: "Mean speed (km/h)", .heartRate: "Mean heart rate (per min)",
            .energy: "Energy (kcal)",
        ],
        members: [
            "email": "E-mail address", "display_name": "Name", "time_zone": "Time zone",
            "language": "Language",
            "created_at": "Created on", "participant_id": "Pseudonym", "study": "Study",
            "study_version": "Version of the study", "arm": "Group", "status": "Status",
            "enrolled_at": "Joined on", "zone": "Time zone", "ended_at": "Left on",
            "consent_version": "Version of the consent text",
        ],
        contents: [
            "about.json": "when these files were made, and the number of records in each file",
            "account.json": "your account, its devices and logins, without passwords and codes",
            "enrolment.json": "your participation: consents, kinds of data, time zones, pauses, events",
            "answer_sheets.json": "all your answers in all versions, with the questions and all scores",
            "questionnaires": "the questionnaires that you answered, with all texts",
            "occasions.json": "when you were asked",
            "walks.json": "your walks with all measured values",
            "calibrations.json": "the calibrations of your walking speed",
            "observations.json": "measurements of other sensors",
            "usage_events.json": "how you used the app",
            "decisions.json": "what the rules of the study decided, and why",
            "inbox.json": "messages that rules of the study wrote",
            "content.json": "which quotes, tips and other content were selected for you",
            "messages.json": "the reminders and messages to you",
            "snoozes.json": "the reminders that you postponed",
            "devices.json": "the devices from which your data came",
            "edits.json": "your corrections and deletions",
            "conflicts.json": "data that your device sent and that the server did not accept",
        ],
        missing: [
            "not_in_version": "not asked", "not_shown": "not asked", "not_reached": "not reached",
            "skipped": "no answer", "refused": "not answered on purpose", "dont_know": "I do not know",
            "not_applicable": "does not apply", "invalid": "not readable", "redacted": "removed",
            "withdrawn": "withdrawn",
            "no_consent": "not stored, because you did not permit this kind of data",
        ])

    static let german = OwnDataWords(
        language: "de",
        words: [
            .title: "Ihre Daten",
            .about: """
            Diese Seite zeigt Ihre Daten in dieser Studie. Die Dateien daneben enthalten alles, was über Sie \
            gespeichert ist, in einer Form, die Programme lesen können.
            """,
            .made: "Erstellt am", .account: "Ihr Konto", .participation: "Ihre Teilnahme",
            .consents: "Ihre Einwilligungen", .permissions: "Arten von Daten", .answers: "Ihre Antworten",
            .walks: "Ihre Spaziergänge", .files: "Die Dateien", .yes: "ja", .no: "nein",
            .none: "Es gibt keine.", .permitted: "erlaubt", .revoked: "widerrufen", .revision: "Fassung",
            .changedLater: "Sie haben diese Antworten später geändert.",
            .deleted: "Sie haben diese Antworten gelöscht.",
            .duplicate: "Dies sind weitere Antworten zur selben Befragung.",
            .question: "Frage", .answer: "Antwort", .score: "Ergebnis", .value: "Wert", .when: "Wann",
            .kind: "Art der Daten", .file: "Datei", .content: "Inhalt", .duration: "Dauer (min)",
            .distance: "Strecke (km)", .speed: "Mittleres Tempo (km/h)",
            .heartRate: "Mittlere Herzfrequenz (pro min)", .energy: "Energie (kcal)",
        ],
        members: [
            "email": "E-Mail-Adresse", "display_name": "Name", "time_zone": "Zeitzone", "language": "Sprache",
            "created_at": "Angelegt am", "participant_id": "Pseudonym", "study": "Studie",
            "study_version": "Version der Studie", "arm": "Gruppe", "status": "Status",
            "enrolled_at": "Dabei seit", "zone": "Zeitzone", "ended_at": "Beendet am",
            "consent_version": "Version der Einwilligung",
        ],
        contents: [
            "about.json": "wann diese Dateien erstellt wurden und wie viele Einträge jede Datei hat",
            "account.json": "Ihr Konto, seine Geräte und Anmeldungen, ohne Passwörter und Codes",
            "enrolment.json":
                "Ihre Teilnahme: Einwilligungen, Arten von Daten, Zeitzonen, Pausen, Ereignisse",
            "answer_sheets.json":
                "alle Ihre Antworten in allen Fassungen, mit den Fragen und allen Ergebnissen",
            "questionnaires": "die Fragebögen, die Sie beantwortet haben, mit allen Texten",
            "occasions.json": "wann Sie befragt wurden",
            "walks.json": "Ihre Spaziergänge mit allen Messwerten",
            "calibrations.json": "die Kalibrierungen Ihres Gehtempos",
            "observations.json": "Messungen anderer Sensoren",
            "usage_events.json": "wie Sie die App benutzt haben",
            "decisions.json": "was die Regeln der Studie entschieden haben, und warum",
            "inbox.json": "Nachrichten, die Regeln der Studie geschrieben haben",
            "content.json": "welche Zitate, Tipps und andere Inhalte für Sie ausgewählt wurden",
            "messages.json": "die Erinnerungen und Nachrichten an Sie",
            "snoozes.json": "die Erinnerungen, die Sie verschoben haben",
            "devices.json": "die Geräte, von denen Ihre Daten kamen",
            "edits.json": "Ihre Korrekturen und Löschungen",
            "conflicts.json": "Daten, die Ihr Gerät geschickt hat und die der Server nicht angenommen hat",
        ],
        missing: [
            "not_in_version": "nicht gefragt", "not_shown": "nicht gefragt", "not_reached": "nicht erreicht",
            "skipped": "keine Antwort", "refused": "bewusst nicht beantwortet", "dont_know": "weiß ich nicht",
            "not_applicable": "trifft nicht zu", "invalid": "nicht lesbar", "redacted": "entfernt",
            "withdrawn": "widerrufen",
            "no_consent": "nicht gespeichert, weil Sie diese Art von Daten nicht erlaubt haben",
        ])
}
