import SaunterStore

/// The texts of mails that are not reminders. They belong to the server, not to a study.
extension ReminderText {
    /// Subject and body, in German or English.
    package static func accountMail(
        _ kind: OutgoingMail.Kind, _ facts: AccountMailFacts, language: String?, url: String
    ) -> (subject: String, body: String) {
        language?.hasPrefix("de") == true
            ? germanAccountMail(kind, facts, url: url)
            : englishAccountMail(kind, facts, url: url)
    }

    private static func germanAccountMail(
        _ kind: OutgoingMail.Kind, _ facts: AccountMailFacts, url: String
    ) -> (subject: String, body: String) {
        switch kind {
        case .passwordReset:
            (
                "Neues Passwort für Saunter",
                """
                Jemand hat für diese Adresse ein neues Passwort angefordert.

                Ihr Code: \(facts.code)

                Er gilt eine Stunde und nur einmal. Geben Sie ihn in der App ein (\(facts.resetPage ?? url + "/reset/code")).
                Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.

                """
            )
        case .emailVerification:
            (
                "Bestätigen Sie Ihre E-Mail-Adresse für Saunter",
                """
                Diese Adresse wurde für ein Konto bei Saunter angegeben.

                Ihr Code: \(facts.code)

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
                In der Studie „\(facts.study)“ gibt es eine Antwort, auf die ein Mensch reagieren soll.

                Bitte melden Sie sich an und bestätigen Sie die Meldung, sobald Sie gehandelt haben: \(url)/staff/alerts
                Bis dahin kommt diese Mail wieder: nach 15 Minuten, dann jede Stunde.

                """
            )
        case .invitation:
            (
                "Einladung in das Team einer Studie",
                """
                Sie sind eingeladen, in der Studie „\(facts.study)“ mitzuarbeiten, als \(germanRole(facts.role)).

                Legen Sie Ihr Passwort fest: \(passwordLink(facts, url))
                Der Link gilt sieben Tage und nur einmal. Danach melden Sie sich mit dieser Adresse an.
                Wenn Sie nichts damit zu tun haben, brauchen Sie nichts zu tun.

                """
            )
        case .roleOffered:
            (
                "Einladung in das Team einer Studie",
                """
                Sie sind eingeladen, in der Studie „\(facts.study)“ mitzuarbeiten, als \(germanRole(facts.role)).

                Ihre Rolle beginnt, sobald Sie sich anmelden: \(loginLink(facts, url))
                Nehmen Sie diese Adresse und Ihr Passwort.
                Wenn Sie nichts damit zu tun haben, wenden Sie sich an das Studienteam.

                """
            )
        case .roleDenied:
            (
                "Einladung in das Team einer Studie",
                """
                Diese Adresse wurde eingeladen, in der Studie „\(facts.study)“ mitzuarbeiten (\(url)).

                Mit dem Konto dieser Adresse nehmen Sie selbst an der Studie teil. Deshalb hat es keine Rolle erhalten.
                Das Studienteam erfährt davon nichts. Ihre Teilnahme ändert sich nicht.
                Wenn Sie im Team mitarbeiten möchten, nennen Sie dem Team eine andere Adresse.

                """
            )
        }
    }

    private static func englishAccountMail(
        _ kind: OutgoingMail.Kind, _ facts: AccountMailFacts, url: String
    ) -> (subject: String, body: String) {
        switch kind {
        case .passwordReset:
            (
                "A new password for Saunter",
                """
                A new password was requested for this address.

                Your code: \(facts.code)

                It works once, for one hour. Enter it in the app (\(facts.resetPage ?? url + "/reset/code")).
                If this was not you, there is nothing to do: your password stays as it is.

                """
            )
        case .emailVerification:
            (
                "Confirm your e-mail address for Saunter",
                """
                This address was entered for an account at Saunter.

                Your code: \(facts.code)

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
                In the study "\(facts.study)" a participant gave an answer on which a person should act.

                Please log in, and acknowledge the alert as soon as you have acted: \(url)/staff/alerts
                Until then this mail comes again: after 15 minutes, then every hour.

                """
            )
        case .invitation:
            (
                "Invitation to the team of a study",
                """
                You are invited to work for the study "\(facts.study)" as \(englishRole(facts.role)).

                Set your password: \(passwordLink(facts, url))
                The link works once, for seven days. After that, log in with this address.
                If this does not concern you, there is nothing to do.

                """
            )
        case .roleOffered:
            (
                "Invitation to the team of a study",
                """
                You are invited to work for the study "\(facts.study)" as \(englishRole(facts.role)).

                Your role begins when you log in: \(loginLink(facts, url))
                Use this address and your password.
                If this does not concern you, contact the study team.

                """
            )
        case .roleDenied:
            (
                "Invitation to the team of a study",
                """
                This address was invited to work for the study "\(facts.study)" (\(url)).

                With the account of this address you take part in the study yourself. So it got no role.
                The study team does not learn this. Your participation does not change.
                If you want to work for the team, give the team another address.

                """
            )
        }
    }

    private static func germanRole(_ role: String) -> String {
        switch role {
        case "coordinator": "Koordination"
        case "editor": "Redaktion"
        default: "Forschung"
        }
    }

    private static func englishRole(_ role: String) -> String {
        switch role {
        case "coordinator": "a coordinator"
        case "editor": "an editor"
        default: "a researcher"
        }
    }

    /// The page that sets a password with the code of the mail, and then leads to the study.
    private static func passwordLink(_ facts: AccountMailFacts, _ url: String) -> String {
        "\(url)/reset/code?code=\(facts.code)&next=/staff/\(facts.studyCode)"
    }

    /// The page for logging in, which then leads to the study.
    private static func loginLink(_ facts: AccountMailFacts, _ url: String) -> String {
        "\(url)/login?next=/staff/\(facts.studyCode)"
    }
}
