import SaunterCore
import SaunterEvaluation
import SaunterStore

/// The readable page of a participant's own data: parts of one HTML document without script, in the order in which the
/// export sends them.
struct OwnDataPage {
    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:auto;padding:1rem;color:#1a1a1a;background:#fff}
        table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}
        th,td{border:1px solid #999;padding:.3rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
        .none{color:#595959}.scroll{overflow-x:auto}.scroll *{overflow-wrap:normal}pre{white-space:pre-wrap;font:inherit}
        """

    let words: OwnDataWords
    /// The language of the study's texts.
    private let language: String
    private let title: String
    private let study: Study
    private let zone: Zone

    init(_ enrolment: Enrolment, _ study: Study) {
        zone = enrolment.zone
        words = OwnDataWords(language: enrolment.language)
        language = enrolment.language
        self.study = study
        title = study.text[enrolment.language]?.title ?? study.text[study.languages[0]]?.title ?? study.code
    }

    /// The beginning of the document, up to the list of the files.
    func head(madeAt now: Instant, zone: Zone, files: [String]) -> String {
        let rows = files.map { file in
            let link = file.hasSuffix(".json") ? "<a href=\"\(file)\">\(file)</a>" : "\(file)/"
            return "<tr><td>\(link)</td><td>\(escaped(words.contents[file] ?? ""))</td></tr>"
        }
        return """
            <!doctype html>
            <html lang="\(words.language)"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <title>\(escaped("\(words[.title]) – \(title)"))</title><style>\(Self.style)</style></head><body>
            <h1>\(escaped(words[.title])): <span lang="\(escaped(language))">\(escaped(title))</span></h1>
            <p>\(escaped(words[.about]))</p>
            <p>\(escaped(words[.made])) \(escaped(Self.moment(now, zone)))</p>
            <h2>\(escaped(words[.files]))</h2>
            <div class="scroll">\(table([words[.file], words[.content]], rows))</div>

            """
    }

    /// The account and the participation.
    func participation(account: JSONObject, enrolment: JSONObject) -> String {
        var html = section(.account) + members(account)
        html += section(.participation) + members(enrolment)
        html += section(.permissions)
        let kinds = enrolment["enrolment_data_kind"]?.array ?? []
        let rows = kinds.map { grant -> String in
            let code = grant["kind"]?.string ?? ""
            let name = study.text[language]?.dataKinds[code]?.title ?? code
            let periods = [(words[.permitted], grant["granted_at"]), (words[.revoked], grant["revoked_at"])]
            let text = periods.compactMap { word, at in at?.string.map { "\(word) \(shown(.string($0)))" } }
                .joined(separator: ", ")
            return "<tr><td>\(escaped(name))</td><td>\(escaped(text))</td></tr>"
        }
        html += rows.isEmpty ? none : table([words[.kind], words[.when]], rows)
        html += section(.consents)
        for consent in enrolment["enrolment_consent"]?.array ?? [] {
            let name = words.members["consent_version"] ?? "consent_version"
            html += """
                <h3>\(escaped("\(name): \(consent["consent_version"]?.string ?? "")"))</h3>
                <p>\(escaped(shown(consent["consented_at"] ?? .null)))</p>
                <pre>\(escaped(consent["text"]?.string ?? ""))</pre>

                """
        }
        return html
    }

    /// The heading of the answers.
    var answersHeading: String { section(.answers) }

    /// One revision of a sheet.
    /// - Parameter scores: the scores that the study shows to participants, as label and value.
    func sheet(
        _ own: OwnSheet, _ questionnaire: Questionnaire, _ lines: [ReadableAnswers.Line],
        scores: [(label: String, value: String)]
    ) -> String {
        let sheet = own.sheet
        let text = questionnaire.text(in: sheet.language)
        var notes: [String] = []
        if own.body["current"]?.bool == false { notes.append(words[.changedLater]) }
        if sheet.deletedAt != nil { notes.append(words[.deleted]) }
        if sheet.duplicateOf != nil { notes.append(words[.duplicate]) }
        let revision = sheet.revision > 1 || !notes.isEmpty ? " (\(words[.revision]) \(sheet.revision))" : ""
        let rows = lines.map { line in
            let style = line.isAnswered ? "" : " class=\"none\""
            return "<tr><td>\(escaped(line.question))</td><td\(style)>\(escaped(line.answer))</td></tr>"
        }
        var html = """
            <h3><span lang="\(escaped(sheet.language))">\(escaped(text.title))</span>\(escaped(revision))</h3>
            <p>\(escaped(Self.moment(sheet.correctedCompletedAt, sheet.zone)))</p>

            """
        html += notes.map { "<p>\(escaped($0))</p>\n" }.joined()
        html += table([words[.question], words[.answer]], rows)
        if !scores.isEmpty {
            html += table(
                [words[.score], words[.value]],
                scores.map { "<tr><td>\(escaped($0.label))</td><td>\(escaped($0.value))</td></tr>" })
        }
        return html
    }

    /// The beginning of the table of walks.
    var walksHead: String {
        let heads = [
            words[.when], words[.duration], words[.distance], words[.speed], words[.heartRate],
            words[.energy],
        ]
        let cells = heads.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined()
        return "\(section(.walks))<div class=\"scroll\"><table><thead><tr>\(cells)</tr></thead><tbody>\n"
    }

    /// One row of the table of walks.
    /// - Parameter walk: as `list_own_walk_summaries` returns it.
    func walkRow(_ walk: JSON) -> String {
        let at = walk["started_at"]?.string.flatMap { Instant($0) }
        let zone = walk["zone"]?.string.flatMap { Zone($0) } ?? .utc
        func number(_ name: String, per divisor: Double = 1) -> String {
            walk[name]?.double.map { HTML.number($0 / divisor) } ?? ""
        }
        let cells = [
            at.map { escaped(Self.moment($0, zone)) } ?? "", number("active_s", per: 60),
            number("distance_m", per: 1000),
            number("mean_speed_kmh"), number("mean_heart_rate_bpm"), number("active_energy_kcal"),
        ]
        return "<tr>\(cells.map { "<td>\($0)</td>" }.joined())</tr>\n"
    }

    /// The end of the table of walks.
    let walksEnd = "</tbody></table></div>\n"

    /// The heading of the walks without a table, because there are none.
    var noWalks: String { section(.walks) + none }

    /// The end of the document.
    let tail = "</body></html>\n"

    // MARK: Parts

    private func section(_ word: OwnDataWords.Word) -> String { "<h2>\(escaped(words[word]))</h2>\n" }

    /// What a section says that has no rows.
    var none: String { "<p class=\"none\">\(escaped(words[.none]))</p>\n" }

    /// The members that have a name and a value.
    private func members(_ object: JSONObject) -> String {
        let rows = object.compactMap { member -> String? in
            guard let name = words.members[member.name], !member.value.isNull else { return nil }
            return "<tr><th scope=\"row\">\(escaped(name))</th><td>\(escaped(shown(member.value)))</td></tr>"
        }
        return "<table><tbody>\n\(rows.joined(separator: "\n"))\n</tbody></table>\n"
    }

    /// A value in words: instants in the participant's zone.
    private func shown(_ value: JSON) -> String {
        if let truth = value.bool { return truth ? words[.yes] : words[.no] }
        guard let text = value.string else { return value.isNull ? "" : value.text }
        return Instant(text).map { Self.moment($0, zone) } ?? text
    }

    private func table(_ heads: [String], _ rows: [String]) -> String {
        let cells = heads.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined()
        return """
            <table><thead><tr>\(cells)</tr></thead><tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table>

            """
    }

    private func escaped(_ text: String) -> String { HTML.escaped(text) }

    /// The local time of a record, with its zone: `2026-11-21 18:30 (Europe/Berlin)`.
    private static func moment(_ instant: Instant, _ zone: Zone) -> String {
        let local = zone.local(of: instant)
        return "\(local.date) \(local.time) (\(zone.id))"
    }
}
