import HTTPTypes
import SaunterCore
import SaunterServer

/// Receives the records that a browser kept: filled-in question documents, and records in the form of the API. It
/// translates the documents, and uploads all records with `POST /v1/enrolments/{id}/sync`.
struct DeviceUpload: Sendable {
    private static let maximumItems = 100

    let context: PageContext

    /// The reply has one result per record, like that of the API, and `words`: what the participant reads about a
    /// rejection.
    var upload: Route {
        Route(
            .post, "/my/{id}/upload", who: .visitor, tag: "Pages", summary: "Upload the records of a browser",
            parameters: [.text("id", "The enrolment.", example: "0193a1f0-7c1e-7d3a-9b52-6f0c1d2e3f40")],
            body: .json(Self.schema, limit: BodyRule.walkLimit, example: [:]),
            outcomes: [.json(.ok, "One result per record, in order.", .any)]
        ) { call in
            var request = PageRequest(call, words: context.renderer.words, context: context)
            // Another account may have logged in since the page was opened. Its session must not send these records.
            guard let identity = request.identity,
                call.body["account"]?.string == PageRenderer.deviceAccount(of: identity)
            else { throw Problem(.tokenInvalid, "Log in with the account that made the records.") }
            let participant = try await request.participant()
            var body: JSONObject = ["client_now": call.body["client_now"] ?? .null]
            if let device = call.body["device_id"] { body["device_id"] = device }
            var items: [JSON] = []
            for item in call.body["items"]?.array ?? [] {
                items.append(try await translate(item, participant, request))
            }
            body["items"] = .array(items)
            var reply =
                try await request.send(.post, "\(participant.resource)/sync", .object(body)).json.object
                ?? [:]
            reply["items"] = .array(
                try await add(words: request, to: reply["items"]?.array ?? [], items, participant))
            return .json(.ok, .object(reply))
        }
    }

    private static let schema = Schema.object(
        [
            .required("account", .string(maxLength: 64), "The digest of the account, as pages state it."),
            .required(
                "client_now", .string(format: .dateTime), "The device's clock when it sends the request."),
            .optional("device_id", .string(format: .uuid), "The id that the browser made for itself."),
            .required(
                "items", .array(of: .any, max: maximumItems),
                "An item of the kind `form` has the fields of a question document; others are items of the API."
            ),
        ])

    // MARK: - Question documents

    /// An item of the API for a filled-in document. Other items are unchanged.
    private func translate(_ item: JSON, _ participant: Participant, _ request: PageRequest) async throws
        -> JSON
    {
        guard item["kind"]?.string == "form", let fields = item["body"]?["fields"]?.object else {
            return item
        }
        let form = AnswerForm(fields, occasion: item["body"]?["occasion"]?.string)
        // If the study does not have the questionnaire, the sheet has no answers. The API rejects it with the reason.
        let items = try await items(
            of: form.questionnaire, version: form.version ?? "", participant, at: request.call.now)
        let read = AnswerFields(items, form.fields, zone: participant.zone)
        var object: JSONObject = ["id": item["id"] ?? .null]
        object["sequence"] = item["sequence"]
        if form.revisedTag == nil {
            object["kind"] = "answer_sheet"
            let language = item["body"]?["language"]?.string ?? request.words.code
            object["body"] = form.body(
                read, language: language, zone: participant.zone.id, now: request.call.now)
        } else {
            object["kind"] = "correction"
            object["body"] = try await correction(form, read, items, participant, request)
        }
        return .object(object)
    }

    /// The items of a questionnaire; empty if the study does not have it.
    private func items(
        of questionnaire: String, version: String, _ participant: Participant, at now: Instant
    ) async throws -> [JSON] {
        do {
            return try await context.server.questionnaireForm(
                questionnaire, version: version, of: participant.id, at: now
            ).structure["item"]?.array ?? []
        } catch let problem as Problem where problem.type == .notFound {
            return []
        }
    }

    /// A correction replaces all answers. Answers that the document does not ask for, such as calculated ones, stay.
    private func correction(
        _ form: AnswerForm, _ read: AnswerFields, _ items: [JSON], _ participant: Participant,
        _ request: PageRequest
    ) async throws -> JSON {
        var answers = read.answers
        let asked = Set(AnswerPages.questions(items))
        do {
            let stored = try await request.get(
                "\(participant.resource)/answer-sheets/\(PageAddress.encode(form.sheet))")
            for member in stored["answers"]?.object ?? [:] where !asked.contains(member.name) {
                if answers[member.name] == nil { answers[member.name] = member.value }
            }
        } catch let problem as Problem where problem.type == .notFound {
            // The sheet arrives later, or was deleted. The correction waits for it.
        }
        var body: JSONObject = [
            "sheet_id": .string(form.sheet), "answers": .object(answers),
            "corrected_at": form.fields["completed_at"] ?? .string(request.call.now.description),
        ]
        if !read.reasons.isEmpty { body["reasons"] = .object(read.reasons) }
        return .object(body)
    }

    // MARK: - Words

    /// Adds to each rejected item the sentences that the participant reads, in the language of the enrolment.
    private func add(
        words request: PageRequest, to results: [JSON], _ items: [JSON], _ participant: Participant
    ) async throws -> [JSON] {
        var worded: [JSON] = []
        for (index, result) in results.enumerated() {
            guard let problem = result["problem"]?.object, var object = result.object else {
                worded.append(result)
                continue
            }
            let body = items.indices.contains(index) ? items[index]["body"] : nil
            let faults = (problem["errors"]?.array ?? []).map { fault in
                Fault(
                    pointer: fault["pointer"]?.string ?? "", code: fault["code"]?.string ?? "",
                    detail: fault["detail"]?.string ?? "")
            }
            var asked: [JSON] = []
            if let code = body?["questionnaire"]?.string, !faults.isEmpty {
                asked = try await self.items(
                    of: code, version: body?["version"]?.string ?? "", participant, at: request.call.now)
            }
            let summary = FaultTexts(asked, words: request.words).summary(faults)
            let slug = problem["type"]?.string?.split(separator: "/").last.map(String.init) ?? ""
            let title =
                request.words["refusal", slug] ?? problem["detail"]?.string ?? problem["title"]?.string
            object["words"] = .array(
                ([title].compactMap(\.self) + summary.compactMap { $0["text"] as? String }).map(JSON.string))
            worded.append(.object(object))
        }
        return worded
    }
}
