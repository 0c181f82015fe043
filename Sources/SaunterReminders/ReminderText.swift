import SaunterCore

/// Fills the words of a study's mail. The values are plain text and stand in plain text: nothing is interpreted, and what looks like a
/// placeholder in a value stays as it is.
package enum ReminderText {
    package static func fill(_ template: String, _ values: [String: String]) -> String {
        var result = ""
        var rest = template[...]
        while let open = rest.firstRange(of: "{{") {
            result += rest[..<open.lowerBound]
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "}}") else {
                result += "{{"
                break
            }
            let name = rest[..<close.lowerBound].filter { $0 != " " }
            result += values[String(name)] ?? "{{\(rest[..<close.lowerBound])}}"
            rest = rest[close.upperBound...]
        }
        return result + rest
    }

    /// Subject and body of the due-today mail in the participant's language.
    package static func dueToday(
        _ due: [Occasion], study: Study, language: String, name: String, url: String
    ) -> (subject: String, body: String) {
        let text = study.text[language] ?? study.text[study.languages[0]]
        var titles: [String] = []
        for occasion in due {
            let title =
                study.questionnaire(occasion.questionnaire)?.text(in: language).title
                ?? occasion.questionnaire
            if !titles.contains(title) { titles.append(title) }
        }
        let values = [
            "name": name, "study": text?.title ?? study.code, "count": String(due.count),
            "titles": titles.map { "- \($0)" }.joined(separator: "\n"), "url": url,
        ]
        return (
            fill(text?.reminderSubject ?? "{{study}}", values),
            fill(text?.reminderBody ?? "{{titles}}", values)
        )
    }

    /// Subject and body of the mail that carries a reset code.
    package static func passwordReset(code: String, language: String?, url: String) -> (
        subject: String, body: String
    ) {
        if language?.hasPrefix("de") == true {
            return (
                "Neues Passwort für Saunter",
                """
                Jemand hat für diese Adresse ein neues Passwort angefordert.

                Ihr Code: \(code)

                Er gilt eine Stunde und nur einmal. Geben Sie ihn in der App ein (\(url)).
                Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.

                """
            )
        }
        return (
            "A new password for Saunter",
            """
            Somebody asked for a new password for this address.

            Your code: \(code)

            It works once, for one hour. Enter it in the app (\(url)).
            If this was not you, there is nothing to do: your password stays as it is.

            """
        )
    }
}
