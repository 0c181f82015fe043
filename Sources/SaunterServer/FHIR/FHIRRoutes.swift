import Foundation
import HTTPTypes
import SaunterCore
import SaunterExchange
import SaunterEvaluation
import SaunterStore

/// A study as FHIR clients read it: its instruments as Questionnaires, its sheets as QuestionnaireResponses.
struct FHIRRoutes: Sendable {
    private static let usualCount = 50
    private static let mostCount = 200

    let context: ServerContext

    var metadata: Route {
        Route(
            .get, "/v1/studies/{study}/fhir/metadata", who: .reader, tag: "Readers",
            summary: "What the FHIR server of the study can do", parameters: [.study], query: [Self.format],
            outcomes: [Self.outcome("CapabilityStatement")], refusals: .fhir
        ) { call in
            let study = try call.text("study")
            _ = try await definitions(study)
            return .document(
                FHIRCapabilities.json(
                    base: base(study), version: context.configuration.version, now: call.now),
                contentType: FHIR.contentType)
        }
    }

    var questionnaires: Route {
        Route(
            .get, "/v1/studies/{study}/fhir/Questionnaire", who: .reader, tag: "Readers",
            summary: "Instruments of the study as FHIR Questionnaires",
            description: "Every version that the study has published, the newest first.",
            parameters: [.study],
            query: [
                QueryParameter("_id", .string(maxLength: 64), "The id."),
                QueryParameter("url", .string(maxLength: 200), "The canonical address, also with |version."),
                QueryParameter("version", .string(maxLength: 40), "The version."),
                QueryParameter("name", .string(maxLength: 40), "The beginning of the code."), Self.format,
            ],
            outcomes: [Self.outcome("Bundle")], refusals: .fhir
        ) { call in
            let study = try call.text("study")
            let base = base(study)
            let found = Self.all(try await definitions(study)).filter { Self.fits($0, call) }
            let links: [(relation: String, url: String)] = [
                ("self", address(base + "/Questionnaire", call.pageQuery))
            ]
            return Self.bundle(
                found.map(FHIRQuestionnaire.json), base: base, links: links, total: found.count)
        }
    }

    var questionnaire: Route {
        Route(
            .get, "/v1/studies/{study}/fhir/Questionnaire/{questionnaire_id}", who: .reader, tag: "Readers",
            summary: "One version of an instrument as a FHIR Questionnaire",
            parameters: [
                .study,
                .text("questionnaire_id", "Its code with hyphens, and its version.", example: "pss-10-1.0.0"),
            ], query: [Self.format],
            outcomes: [Self.outcome("Questionnaire")], refusals: .fhir
        ) { call in
            let id = try call.text("questionnaire_id")
            let known = Self.all(try await definitions(try call.text("study")))
            guard let found = known.first(where: { FHIRQuestionnaire.id($0) == id }) else {
                throw Problem(.notFound)
            }
            return .document(.object(FHIRQuestionnaire.json(found)), contentType: FHIR.contentType)
        }
    }

    var responses: Route {
        Route(
            .get, "/v1/studies/{study}/fhir/QuestionnaireResponse", who: .reader, tag: "Readers",
            summary: "Answer sheets of the study as FHIR QuestionnaireResponses",
            description: """
                In the order of their ids, newest revisions only; what participants deleted is not told. Dates take the prefixes eq, ne, gt, ge, lt, le, sa \
                and eb and may be given several times. The subject is the pseudonym, as `P…` or `urn:saunter:participant|P…`.
                """,
            parameters: [.study],
            query: [
                QueryParameter("_id", .string(maxLength: 64), "The id."),
                QueryParameter(
                    "questionnaire", .string(maxLength: 1000),
                    "Canonical addresses or ids of Questionnaires, with commas between."),
                QueryParameter("subject", .string(maxLength: 200), "The participant."),
                QueryParameter("subject:identifier", .string(maxLength: 200), "The participant."),
                QueryParameter("authored", .string(maxLength: 60), "When it was completed.", repeats: true),
                QueryParameter(
                    "_lastUpdated", .string(maxLength: 60), "When it came, or its newest correction.",
                    repeats: true),
                QueryParameter(
                    "_count", .integer(min: 0, max: 1_000_000),
                    "Entries per page; \(Self.usualCount) when left out, \(Self.mostCount) at most."),
                QueryParameter(
                    "_total", .string(values: ["none", "estimate", "accurate"]), "Whether to count."),
                QueryParameter("_cursor", .string(minLength: 1, maxLength: 512), "Of the link `next`."),
                Self.format,
            ],
            outcomes: [Self.outcome("Bundle")], refusals: .fhir
        ) { call in
            let study = try call.text("study")
            let base = base(study)
            let search = try search(call, Self.all(try await definitions(study)))
            let after = try Self.place(call)
            let asked = call.queryInt("_count") ?? Self.usualCount
            let counts = asked == 0 || ["estimate", "accurate"].contains(call.query("_total"))
            let page = try await read(
                call, study, search, after: after, limit: min(asked, Self.mostCount), counts: counts)
            let kept = call.pageQuery.filter { $0.name != "_cursor" }
            var links: [(relation: String, url: String)] = [
                ("self", address(base + "/QuestionnaireResponse", call.pageQuery))
            ]
            if let next = page.next, asked > 0 {
                links.append(
                    (
                        "next",
                        address(base + "/QuestionnaireResponse", kept + [("_cursor", Cursor(next).text)])
                    ))
            }
            return Self.bundle(page.resources, base: base, links: links, total: page.total)
        }
    }

    var response: Route {
        Route(
            .get, "/v1/studies/{study}/fhir/QuestionnaireResponse/{response_id}", who: .reader,
            tag: "Readers",
            summary: "One answer sheet as a FHIR QuestionnaireResponse",
            parameters: [
                .study,
                .text("response_id", "The id.", example: String(repeating: "0", count: 64)),
            ], query: [Self.format],
            outcomes: [Self.outcome("QuestionnaireResponse")], refusals: .fhir
        ) { call in
            let study = try call.text("study")
            guard let sheet = FHIRResponseID.read(try call.text("response_id")) else {
                throw Problem(.notFound)
            }
            var search = ResponseSearch()
            search.sheet = sheet
            _ = try await definitions(study)
            let page = try await read(call, study, search, after: nil, limit: 1, counts: false)
            guard let resource = page.resources.first else { throw Problem(.notFound) }
            return .document(.object(resource), contentType: FHIR.contentType)
        }
    }

    // MARK: Reading

    private func definitions(_ study: String) async throws -> StudyDefinitions {
        do {
            return try await context.readings.reading.definitions(of: study)
        } catch DatasetFault.unknownStudy {
            throw Problem(.notFound)
        }
    }

    private func read(
        _ call: Call<Identity>, _ study: String, _ search: ResponseSearch, after: [String]?, limit: Int,
        counts: Bool
    ) async throws -> ResponsePage {
        let profile = ReadingDesk.profile(call.caller, study)
        let page: ResponsePage
        do {
            page = try await context.readings.reading.read(study, profile: profile, now: call.now) {
                try await $0.responses(search, after: after, limit: limit, counts: counts)
            }
        } catch is TableQueryFault {
            throw Self.invalid("_cursor", "It must come from the link next of a page.")
        }
        try await context.readings.note(
            call, study, api: "fhir",
            [
                "content": "QuestionnaireResponse", "profile": .string(profile.rawValue),
                "rows": .int(page.resources.count),
            ])
        return page
    }

    private static func all(_ definitions: StudyDefinitions) -> [Questionnaire] {
        definitions.instruments.flatMap { $0.versions.reversed() }
    }

    private static let format = QueryParameter(
        "_format", .string(values: ["json", "application/json", FHIR.contentType]), "There is only JSON.")

    // MARK: Replies

    private func base(_ study: String) -> String {
        "\(context.configuration.publicURL)/v1/studies/\(study)/fhir"
    }

    private func address(_ path: String, _ query: [(name: String, value: String)]) -> String {
        let pairs = query.flatMap { name, value in
            // A moment holds no comma: several of them are the parameter given several times.
            (name == "authored" || name == "_lastUpdated"
                ? value.split(separator: ",").map(String.init) : [value])
                .map { "\(PercentEncoding.encode(name))=\(PercentEncoding.encode($0))" }
        }
        return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
    }

    private static func outcome(_ type: String) -> Outcome {
        .document(.ok, "It.", FHIR.schema(type), contentType: FHIR.contentType)
    }

    private static func bundle(
        _ resources: [JSONObject], base: String, links: [(relation: String, url: String)], total: Int?
    ) -> Reply {
        var bundle: JSONObject = ["resourceType": "Bundle", "type": "searchset"]
        if let total { bundle["total"] = .int(total) }
        bundle["link"] = .array(links.map { ["relation": .string($0.relation), "url": .string($0.url)] })
        if !resources.isEmpty {
            bundle["entry"] = .array(
                resources.map { resource in
                    let type = resource["resourceType"]?.string ?? ""
                    let id = resource["id"]?.string ?? ""
                    return [
                        "fullUrl": .string("\(base)/\(type)/\(id)"), "resource": .object(resource),
                        "search": ["mode": "match"],
                    ]
                })
        }
        return .document(.object(bundle), contentType: FHIR.contentType)
    }
}
