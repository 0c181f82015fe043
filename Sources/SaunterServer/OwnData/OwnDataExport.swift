import Foundation
import SaunterCore
import SaunterEvaluation
import SaunterStore

/// Writes a participant's own data as a ZIP archive while it is sent. It reads page by page, so that an export needs
/// little memory, and holds no database connection while the client reads.
struct OwnDataExport: Sendable {
    /// How many revisions of answer sheets are read at once.
    private static let sheetsPerPage = 100
    /// How many rows of the table of walks are read at once.
    private static let walksPerPage = 500

    let context: ServerContext
    let account: Account
    let enrolment: Enrolment
    let study: Study
    let now: Instant

    /// The name of the archive for the client.
    var fileName: String { "my-data_\(study.code)_\(Zone.utc.local(of: now).date).zip" }

    /// The name of each file, in the order of the list on the readable page. A name without an extension is a folder.
    static let files =
        ["account.json", "enrolment.json", "answer_sheets.json", "questionnaires"]
        + OwnRecords.allCases.map { "\($0.rawValue).json" } + ["about.json"]

    /// Sends the archive.
    /// - Throws: `Problem` if the participant was erased in the meantime, errors of the database, and errors of the
    ///   connection. The archive is then incomplete.
    func write(to writer: inout BodyWriter) async throws {
        let accountJSON = try await accountObject()
        let enrolmentJSON = try await enrolmentObject()
        var zip = try ZipPieces()
        var counts: [(file: String, records: Int)] = []
        try await writePage(accountJSON, enrolmentJSON, to: &zip, &writer)
        try await zip.addFile("account.json", JSON.object(accountJSON).text + "\n", to: &writer)
        try await zip.addFile("enrolment.json", JSON.object(enrolmentJSON).text + "\n", to: &writer)
        let (sheets, questionnaires) = try await writeSheets(to: &zip, &writer)
        counts.append(("answer_sheets.json", sheets))
        for (name, structure) in questionnaires {
            try await zip.addFile("questionnaires/\(name).json", structure.text + "\n", to: &writer)
        }
        for records in OwnRecords.allCases {
            counts.append(("\(records.rawValue).json", try await write(records, to: &zip, &writer)))
        }
        guard try await context.store.findEnrolment(enrolment.id) != nil else { throw Problem(.notFound) }
        try await zip.addFile("about.json", about(counts).text + "\n", to: &writer)
        try await zip.finish(to: &writer)
    }

    // MARK: Files

    /// The account without its password, tokens and codes.
    private func accountObject() async throws -> JSONObject {
        let (logins, mails) = try await context.store.listOwnLogins(account.id)
        let devices = try await context.store.listPushSubscriptions(account.id)
        let grants = try await context.store.listGrants(account.id)
        return [
            "account_id": .id(account.id), "kind": .string(account.kind.rawValue),
            "email": .optional(account.email, JSON.string),
            "display_name": .string(account.name), "time_zone": .optional(account.zone) { .string($0.id) },
            "language": .optional(account.language, JSON.string), "created_at": .instant(account.createdAt),
            "email_verified_at": .instant(account.emailVerifiedAt), "logins": .array(logins),
            "mails": .array(mails),
            "push_devices": .array(
                devices.map {
                    [
                        "subscription_id": .id($0.id), "endpoint": $0.content["endpoint"] ?? .null,
                        "registered_at": .instant($0.registeredAt),
                    ]
                }),
            "entitlements": .array(
                try await context.store.listEntitlements(of: account.id).filter { $0.study == study.code }
                    .map(entitlement)),
            "roles": .array(grants.map { ["role": .string($0.role.rawValue), "study": .string($0.study)] }),
        ]
    }

    private func entitlement(_ owned: OwnedEntitlement) -> JSON {
        [
            "entitlement": .string(owned.grant.code), "source": .string(owned.grant.source.rawValue),
            "valid_from": .instant(owned.grant.validFrom), "valid_until": .instant(owned.grant.validUntil),
            "revoked_at": .instant(owned.grant.revokedAt), "reason": .optional(owned.why, JSON.string),
        ]
    }

    /// The enrolment, with the text of each consent.
    private func enrolmentObject() async throws -> JSONObject {
        var object = try await context.store.fetchOwnEnrolment(
            enrolment.id, showsArm: !study.allocation.isConcealed)
        var consents: [JSON] = []
        for consent in object["enrolment_consent"]?.array ?? [] {
            guard var known = consent.object else { continue }
            let published = try await context.catalogue.find(
                study.code, version: known["study_version"]?.string ?? "")
            let text = known["language"]?.string.flatMap { published?.study.text[$0]?.consent }
            known["text"] = .optional(text, JSON.string)
            consents.append(.object(known))
        }
        object["enrolment_consent"] = .array(consents)
        return object
    }

    /// - Returns: the number of records.
    private func write(
        _ records: OwnRecords, to zip: inout ZipPieces, _ writer: inout BodyWriter
    ) async throws -> Int {
        try await zip.beginFile("\(records.rawValue).json", to: &writer)
        var list = JSONListWriter()
        var position = records.start
        while true {
            let page = try await context.store.listOwnRecords(records, of: enrolment.id, after: position)
            for record in page { try await zip.add(list.next(record.body), to: &writer) }
            guard page.count == records.pageSize, let last = page.last else { break }
            position = last.position
        }
        try await zip.add(list.end, to: &writer)
        return list.count
    }

    /// - Returns: the number of revisions, and the structures of their questionnaires by file name.
    private func writeSheets(
        to zip: inout ZipPieces, _ writer: inout BodyWriter
    ) async throws -> (count: Int, questionnaires: [(name: String, structure: JSON)]) {
        try await zip.beginFile("answer_sheets.json", to: &writer)
        var list = JSONListWriter()
        var structures: [String: JSON] = [:]
        let words = OwnDataWords(language: enrolment.language)
        try await forEachSheet { own, questionnaire, answers in
            let isLocked = try await self.isLocked(own)
            let lines = ReadableAnswers(questionnaire, language: own.sheet.language, words: words)
                .lines(of: answers).filter { $0.isAnswered || !isLocked }
            var body = own.body
            body["answers"] = .object(answers.json)
            body["reasons"] = .object(answers.reasons)
            body["readable"] = .array(
                lines.map {
                    [
                        "item": .string($0.item), "question": .string($0.question),
                        "answer": .string($0.answer),
                        "answered": .bool($0.isAnswered),
                    ]
                })
            body["scores"] = .array(own.scores)
            try await zip.add(list.next(JSON.object(body).text), to: &writer)
            let name = "\(questionnaire.code)_\(questionnaire.version)_\(own.sheet.language)"
            if structures[name] == nil, !isLocked {
                structures[name] = questionnaire.json(language: own.sheet.language)
            }
        }
        try await zip.add(list.end, to: &writer)
        return (list.count, structures.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    private func writePage(
        _ account: JSONObject, _ enrolmentJSON: JSONObject, to zip: inout ZipPieces,
        _ writer: inout BodyWriter
    ) async throws {
        let page = OwnDataPage(enrolment, study)
        try await zip.beginFile("index.html", to: &writer)
        try await zip.add(page.head(madeAt: now, zone: enrolment.zone, files: Self.files), to: &writer)
        try await zip.add(page.participation(account: account, enrolment: enrolmentJSON), to: &writer)
        try await zip.add(page.answersHeading, to: &writer)
        var (hasSheets, hasWalks) = (false, false)
        try await forEachSheet { own, questionnaire, answers in
            hasSheets = true
            let isLocked = try await self.isLocked(own)
            let lines = ReadableAnswers(questionnaire, language: own.sheet.language, words: page.words)
                .lines(of: answers).filter { $0.isAnswered || !isLocked }
            let html = page.sheet(own, questionnaire, lines, scores: Self.shownScores(own, questionnaire))
            try await zip.add(html, to: &writer)
        }
        if !hasSheets { try await zip.add(page.none, to: &writer) }
        var position = OwnPosition.beforeFirstWalk
        while true {
            let walks = try await context.store.listOwnWalkSummaries(
                of: enrolment.id, after: position, limit: Self.walksPerPage)
            if !walks.isEmpty, !hasWalks { try await zip.add(page.walksHead, to: &writer) }
            hasWalks = hasWalks || !walks.isEmpty
            for walk in walks { try await zip.add(page.walkRow(try JSONReader.read(walk.body)), to: &writer) }
            guard walks.count == Self.walksPerPage, let last = walks.last else { break }
            position = last.position
        }
        try await zip.add(hasWalks ? page.walksEnd : page.noWalks, to: &writer)
        try await zip.add(page.tail, to: &writer)
    }

    /// Whether the participant does not have the entitlement that the questionnaire of a sheet needs. The export then
    /// contains the answers with their questions, and no other question.
    private func isLocked(_ own: OwnSheet) async throws -> Bool {
        guard
            let published = try await context.catalogue.find(study.code, version: own.sheet.studyVersion)
        else { throw Problem(.internalError) }
        return try await context.isLocked(
            own.sheet.questionnaire, of: enrolment, answeredUnder: published.study, at: now)
    }

    /// Passes every revision with its questionnaire and its decoded answers, in the order of completion.
    private func forEachSheet(
        _ body: (OwnSheet, Questionnaire, AnswerSheet) async throws -> Void
    ) async throws {
        var position = OwnPosition.beforeFirstSheet
        while true {
            let page = try await context.store.listOwnSheets(
                of: enrolment.id, after: position, limit: Self.sheetsPerPage)
            for (_, own) in page {
                // The answers are in the item order of the version that was answered.
                guard
                    let published = try await context.catalogue.find(
                        study.code, version: own.sheet.studyVersion),
                    let known = published.questionnaires[own.sheet.questionnaire]
                else { throw Problem(.internalError) }
                try await body(own, known.questionnaire, try known.codec.decode(own.sheet.answers))
            }
            guard page.count == Self.sheetsPerPage, let last = page.last else { return }
            position = last.position
        }
    }

    /// The newest score of each scale that the study shows to participants.
    private static func shownScores(
        _ own: OwnSheet, _ questionnaire: Questionnaire
    ) -> [(label: String, value: String)] {
        let text = questionnaire.text(in: own.sheet.language)
        return (questionnaire.scoring?.scales ?? []).filter(\.shownToParticipant).compactMap { scale in
            let score = own.scores.last { $0["scale"]?.string == scale.id }
            guard let value = score?["value"]?.double else { return nil }
            let band = score?["band"]?.string.map { text.bands[scale.id]?[$0] ?? $0 }
            return (
                text.scales[scale.id] ?? scale.id,
                [HTML.number(value), band].compactMap { $0 }.joined(separator: ", ")
            )
        }
    }

    private func about(_ counts: [(file: String, records: Int)]) -> JSON {
        [
            "study": .string(study.code), "study_version": .string(enrolment.studyVersion),
            "participant_id": .string(enrolment.participantID), "made_at": .instant(now),
            "software": .string("Saunter \(context.configuration.version)"),
            "arm_concealed": .bool(study.allocation.isConcealed),
            "records": .object(
                JSONObject(counts.map { JSONObject.Member(name: $0.file, value: .int($0.records)) })),
        ]
    }
}

/// Writes a JSON list with one element per line.
private struct JSONListWriter {
    private(set) var count = 0

    /// The text of the next element, with the punctuation before it.
    mutating func next(_ element: String) -> String {
        count += 1
        return (count == 1 ? "[\n" : ",\n") + element
    }

    /// The end of the list.
    var end: String { count == 0 ? "[]\n" : "\n]\n" }
}

/// Compresses and sends the files of an archive in pieces.
private struct ZipPieces {
    private static let pieceBytes = 64 * 1024

    private let zip: ZipStream
    private var waiting: [UInt8] = []

    init() throws {
        zip = try ZipStream()
    }

    mutating func beginFile(_ name: String, to writer: inout BodyWriter) async throws {
        try await flush(to: &writer)
        try zip.beginFile(name)
    }

    mutating func add(_ text: String, to writer: inout BodyWriter) async throws {
        waiting += text.utf8
        if waiting.count >= Self.pieceBytes { try await flush(to: &writer) }
    }

    mutating func addFile(_ name: String, _ text: String, to writer: inout BodyWriter) async throws {
        try await beginFile(name, to: &writer)
        try await add(text, to: &writer)
    }

    mutating func finish(to writer: inout BodyWriter) async throws {
        try await flush(to: &writer)
        try zip.finish()
        try await writer.write(zip.takeBytes())
    }

    /// Compresses and sends the waiting text in pieces, so that a long text does not occupy a thread for long.
    private mutating func flush(to writer: inout BodyWriter) async throws {
        for start in stride(from: 0, to: waiting.count, by: Self.pieceBytes) {
            try zip.add(waiting[start..<min(start + Self.pieceBytes, waiting.count)])
            try await writer.write(zip.takeBytes())
            await Task.yield()
        }
        waiting.removeAll(keepingCapacity: true)
    }
}
