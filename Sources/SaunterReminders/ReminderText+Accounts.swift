import SaunterStore

/// The texts of mails that are not reminders. They belong to the server, not to a study.
extension ReminderText {
    /// Subject and body, in German or English.
    /// - Parameter detail: the code of the mail, or the title of the study.
    package static func accountMail(
        _ kind: OutgoingMail.Kind, detail: String, language: String?, url: String
    ) -> (subject: String, body: String) {
        language?.hasPrefix("de") == true
            ? germanAccountMail(kind, detail: detail, url: url)
            : englishAccountMail(kind, detail: detail, url: url)
    }

    private static func germanAccountMail(
        _ kind: OutgoingMail.Kind, detail: String, url: String
    ) -> (subject: String, body: String) {
        switch kind {
        case .passwordReset:
            (
                "Neues Passwort für Saunter",
                """
                Jemand hat für diese Adresse ein neues Passwort angefordert.

                Ihr Code: \(detail)

                Er gilt eine Stunde und nur einmal. Geben Sie ihn in der App ein (\(url)/reset/code).
                Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.

                """
            )
        case .emailVerification:
            (
                "Bestätigen Sie Ihre E-Mail-Adresse für Saunter",
                """
                Diese Adresse wurde für ein Konto bei Saunter angegeben.

                Ihr Code: \(detail)

                Er gilt 24 Stunden und nur einmal. Geben Sie ihn in der App ein (\(url)/account/email).
                Vorher erhalten Sie an diese Adresse keine Erinnerungen.
                Wenn Sie das nicht waren, brauchen Sie nichts zu tun.

                """
            )
        case .passwordChanged:
            (
                "Ihr Passwort für Saunter wurde geändert",
                """
                Das Passwort Ihres Kontos wurde geändert (\(url)).

                Wenn Sie das waren, brauchen Sie nichts zu tun.
                Wenn nicht, fordern Sie in der App sofort ein neues Passwort an. Damit enden alle Anmeldungen.

                """
            )
        case .emailChanged:
            (
                "Ihre E-Mail-Adresse für Saunter wurde geändert",
                """
                Ihr Konto hat jetzt eine andere E-Mail-Adresse (\(url)). Diese Adresse erhält keine weiteren Mails.

                Wenn Sie das waren, brauchen Sie nichts zu tun.
                Wenn nicht, wenden Sie sich sofort an das Studienteam.

                """
            )
        case .alert:
            (
                "Saunter: Eine Antwort braucht Sie",
                """
                In der Studie „\(detail)“ gibt es eine Antwort, auf die ein Mensch reagieren soll.

                Bitte melden Sie sich an und bestätigen Sie die Meldung, sobald Sie gehandelt haben: \(url)/staff/alerts
                Bis dahin kommt diese Mail wieder: nach 15 Minuten, dann jede Stunde.

                """
            )
        }
    }

    private static func englishAccountMail(
        _ kind: OutgoingMail.Kind, detail: String, url: String
    ) -> (subject: String, body: String) {
        switch kind {
        case .passwordReset:
            (
                "A new password for Saunter",
                """
                A new password was requested for this address.

                Your code: \(detail)

                It works once, for one hour. Enter it in the app (\(url)/reset/code).
                If this was not you, there is nothing to do: your password stays as it is.

                """
            )
        case .emailVerification:
            (
                "Confirm your e-mail address for Saunter",
                """
                This address was entered for an account at Saunter.

                Your code: \(detail)

                It works once, for 24 hours. Enter it in the app (\(url)/account/email).
                Until then, this address receives no reminders.
                If this was not you, there is nothing to do.

                """
            )
        case .passwordChanged:
            (
                "Your password for Saunter was changed",
                """
                The password of your account was changed (\(url)).

                If this was you, there is nothing to do.
                If not, request a new password in the app at once. This ends all logins.

                """
            )
        case .emailChanged:
            (
                "Your e-mail address for Saunter was changed",
                """
                Your account has another e-mail address now (\(url)). This address receives no more mails.

                If this was you, there is nothing to do.
                If not, contact the study team at once.

                """
            )
        case .alert:
            (
                "Saunter: an answer needs you",
                """
                In the study "\(detail)" a participant gave an answer on which a person should act.

                Please log in, and acknowledge the alert as soon as you have acted: \(url)/staff/alerts
                Until then this mail comes again: after 15 minutes, then every hour.

                """
            )
        }
    }
}
