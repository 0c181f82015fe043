import SaunterCore

/// What an editor states about a new study. The rest of its first draft follows from `StudyTemplate`.
package struct NewStudyValues: Sendable, Hashable {
    /// The largest permitted number of days.
    package static let maximumDays = Study.maximumDays

    /// The code of the study.
    package var study: String
    /// The title for participants, in `language`.
    package var title: String
    /// A BCP 47 tag. The texts of the draft are German if the language is `de`, and otherwise English.
    package var language: String
    /// Used if the time zone of a participant is unknown.
    package var zone: Zone
    /// The number of evenings with a questionnaire.
    package var days: Int

    /// Creates the values of a study that is not stored yet.
    package init(study: String, title: String, language: String, zone: Zone, days: Int) {
        self.study = study
        self.title = title
        self.language = language
        self.zone = zone
        self.days = days
    }

    /// The code of the study's questionnaire. Versions of questionnaires are shared by all studies, so each new study
    /// gets a questionnaire with its own code.
    private var questionnaire: String {
        String(study.replacing("-", with: "_").prefix(24))
    }

    /// The files of the first draft.
    /// - Throws: if the title cannot be written in YAML.
    package func files() throws(YAMLEditFault) -> [String: String] {
        var files: [String: String] = [:]
        for (path, text) in StudyTemplate.files(study: study) {
            let path = path.replacing("/day_mood/", with: "/\(questionnaire)/").replacing(
                ".en.", with: ".\(language).")
            files[path] = text.replacing("day_mood", with: questionnaire)
                .replacing("languages: [en]", with: "languages: [\(language)]")
        }
        let folder = "studies/\(study)/"
        try set(.int(days), at: "/days", in: folder + PackPath.study, &files)
        try set(.string(zone.id), at: "/zone", in: folder + PackPath.study, &files)
        files[folder + PackPath.study] = files[folder + PackPath.study]?
            .replacing(Self.daysComment, with: "# number of the last day; the day of enrolment is day 0")
        let last = "/schedules/0/recurrence/every/until_day"
        try set(.int(days - 1), at: last, in: folder + PackPath.schedule, &files)
        if language.split(separator: "-").first == "de" { germanise(&files) }
        let text = folder + "content/text.\(language).yaml"
        try set(.string(title), at: "/title", in: text, &files)
        let consent = folder + "content/consent.\(language).md"
        files[consent] = files[consent]?.replacing(
            "every evening for two weeks",
            with: days == 1 ? "on one evening" : "every evening for \(days) days")
        return files
    }

    private static let daysComment =
        "# number of the last day; the day of enrolment is day 0, so the study has 15 dates"

    private func set(
        _ value: JSON, at pointer: String, in path: String, _ files: inout [String: String]
    ) throws(YAMLEditFault) {
        do {
            var editor = try YAMLEditor(files[path] ?? "", file: path)
            try editor.set(value, at: pointer)
            files[path] = editor.text
        } catch let fault as YAMLEditFault {
            throw fault
        } catch {
            throw YAMLEditFault(line: 1, message: "\(error)")
        }
    }

    private func germanise(_ files: inout [String: String]) {
        let instrument = "instruments/\(questionnaire)/1.0.0/"
        let content = "studies/\(study)/content/"
        files[instrument + "text.\(language).yaml"] = Self.germanQuestions
        files[content + "text.\(language).yaml"] = Self.germanText
        files[content + "course.\(language).yaml"] = Self.germanCourse
        files[content + "consent.\(language).md"] = Self.germanConsent(days: days)
    }

    private static let germanQuestions = """
        title: Die Stimmung des Tages
        description: Ein paar kurze Fragen.
        items:
          mood: Wie gut war Ihre Stimmung?
          calm: Wie ruhig waren Sie?
          unrest: Wie unruhig waren Sie?
          reasons: Womit hatte es zu tun?
          note: Möchten Sie etwas ergänzen?
        option_sets:                 # Beschriftungen für alle Fragen mit diesen Antworten
          degree: {0: gar nicht, 1: etwas, 2: ziemlich, 3: sehr}
        options:                     # Beschriftungen einer einzelnen Frage
          reasons: {work: mit der Arbeit, home: mit dem Zuhause, none: mit nichts Bestimmtem}
        scales:
          balance: Ausgeglichenheit
        bands:
          balance: {low: niedrig, high: hoch}

        """

    private static let germanText = """
        title: Zwei Wochen Stimmung
        summary: Jeden Abend ein kurzer Fragebogen.
        arms:
          everybody: {title: Alle, text: Sie antworten jeden Abend.}
        reminder:                   # Platzhalter: {{name}}, {{study}}, {{count}}, {{titles}}, {{url}}
          subject: "{{study}}: heute noch {{count}} offen"
          body: |
            Guten Tag {{name}}, heute ist noch offen: {{titles}}
            {{url}}
        notices:                    # Platzhalter: {{name}}, {{study}}, {{url}}
          come_back: {subject: "{{study}}", body: "Guten Tag {{name}}, wir haben länger nichts von Ihnen gehört: {{url}}"}
        notification:               # Text auf dem Telefon; Platzhalter: {{study}}, {{count}}, {{closes}}
          subject: Ein Fragebogen ist offen
          body: "Bis {{closes}}"
        prompt:                     # Erinnerung an einen einzelnen Fragebogen; Platzhalter wie `reminder`, und {{closes}}
          subject: "{{study}}: bis {{closes}}"
          body: |
            Guten Tag {{name}}: {{titles}}
            {{url}}

        """

    private static let germanCourse = """
        steps:
          - {title: Jeden Abend, text: Ab fünf Uhr nachmittags beantworten Sie ein paar kurze Fragen.}

        """

    private static func germanConsent(days: Int) -> String {
        let time = days == 1 ? "an einem Abend" : "\(days) Tage lang jeden Abend"
        return """
            # Einwilligung

            Sie beantworten \(time) einen kurzen Fragebogen und können jederzeit aufhören.

            """
    }
}
