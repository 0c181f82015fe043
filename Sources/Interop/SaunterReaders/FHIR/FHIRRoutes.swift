import Foundation
import HTTPTypes
import SaunterCore
import SaunterEvaluation
import SaunterExchange
import SaunterServer

/// A study for FHIR clients: its instruments as Questionnaires, its answer sheets as QuestionnaireResponses, and its
/// scores as Observations.
struct FHIRRoutes: Sendable {
    private static let defaultCount = 50
    private static let maximumCount = 200

    let service: ReaderService

    var metadata: Route {
        Route(
            .get, "/v1/studies/{study}/fhir/metadata", who: .reader, tag: "Readers",
            summary: "Get the FHIR CapabilityStatement of the study", parameters: [.study],
            query: [Self.format],
            outcomes: [Self.outcome("CapabilityStatement")], errors: FHIR.errors
        ) { call in
            let study = try call.text("study")
            _ = try await service.definitions(of: study, for: call.caller)
            return .document(
                FHIRCapabilities.json(
                    base: base(study), version: service.configuration.version, now: call.now),
                contentType: FHIR.contentType)
        }
    }

    var questionnaires: Route {
        Route(
            .get, "/v1/studies/{study}/fhir/Questionnaire", who: .reader, tag: "Readers",
            summary: "List the instruments of the study as FHIR Questionnaires",
            description:
                "Every published version; per instrument the newest version first. An instrument that was imported from FHIR has "
                + "the linkIds and codes of its source, and so have the responses to it. Texts have translations into all languages.",
            parameters: [.study],
            query: [
                QueryParameter("_id", .string(maxLength: 64), "The id."),
                QueryParameter(
                    "url", .string(maxLength: 200), "The canonical URL, optionally followed by |version."),
                QueryParameter("version", .string(maxLength: 40), "The version."),
                QueryParameter("name", .string(maxLength: 40), "The first characters of the code."),
                Self.format,
            ],
            outcomes: [Self.outcome("Bundle")], errors: FHIR.errors
        ) { call in
            let study = try call.text("study")
            let base = base(study)
            let parameters = FHIRSearchParameters(call: call)
            let definitions = try await service.definitions(of: study, for: call.caller)
            let found = Self.versions(in: definitions).filter(parameters.selects)
            let links: [(relation: String, url: String)] = [
                ("self", address(base + "/Questionnaire", call.pageQuery))
            ]
            return Self.bundle(
                found.map { FHIRQuestionnaire.json($0, mapping: definitions.fhirMapping(of: $0)) },
                base: base, links: links, total: found.count)
        }
    }

    var questionnaire: Route {
        Route(
            .get, "/v1/studies/{study}/fhir/Questionnaire/{questionnaire_id}", who: .reader, tag: "Readers",
            summary: "Get one version of an instrument as a FHIR Questionnaire",
            parameters: [
                .study,
                .text(
                    "questionnaire_id", "The code with hyphens, a hyphen, and the version.",
                    example: "pss-10-1.0.0"),
            ], query: [Self.format],
            outcomes: [Self.outcome("Questionnaire")], errors: FHIR.errors
        ) { call in
            let id = try call.text("questionnaire_id")
            let definitions = try await service.definitions(of: try call.text("study"), for: call.caller)
            guard let found = Self.versions(in: definitions).first(where: { FHIRQuestionnaire.id($0) == id })
            else {
                throw Problem(.notFound)
            }
            let resource = FHIRQuestionnaire.json(found, mapping: definitions.fhirMapping(of: found))
            return .document(.object(resource), contentType: FHIR.contentType)
        }
    }

    var responses: Route {
        Route(
            .get, "/v1/studies/{study}/fhir/QuestionnaireResponse", who: .reader, tag: "Readers",
            summary: "List the answer sheets of the study as FHIR QuestionnaireResponses",
            description: """
                Sorted by id. Contains the newest revision of each sheet; deleted sheets are omitted. Dates accept the prefixes eq, ne, gt, ge, lt, le, sa \
                and eb, and may be repeated. The subject is the participant's pseudonym, as `P…` or `urn:saunter:participant|P…`. With \
                `_revinclude=Observation:derived-from` each page also contains the scores of its sheets, as Observations. There is no route \
                for Observations.
                """,
            parameters: [.study],
            query: [
                QueryParameter("_id", .string(maxLength: 64), "The id."),
                QueryParameter(
                    "questionnaire", .string(maxLength: 1000),
                    "Canonical URLs or ids of Questionnaires, separated by commas."),
                QueryParameter("subject", .string(maxLength: 200), "The participant's pseudonym."),
                QueryParameter("subject:identifier", .string(maxLength: 200), "The participant's pseudonym."),
                QueryParameter(
                    "authored", .string(maxLength: 60),
                    "The time at which the participant completed the sheet.", repeats: true),
                QueryParameter(
                    "_lastUpdated", .string(maxLength: 60),
                    "The time at which the server received the newest revision.",
                    repeats: true),
                QueryParameter(
                    "_count", .integer(min: 0, max: 1_000_000),
                    "Entries per page: default \(Self.defaultCount), maximum \(Self.maximumCount)."),
                QueryParameter(
                    "_revinclude", .string(values: ["Observation:derived-from"]),
                    "Adds an Observation per score of the sheets on the page."),
                QueryParameter(
                    "_total", .string(values: ["none", "estimate", "accurate"]),
                    "Whether to count the matches."),
                QueryParameter(
                    "_cursor", .string(minLength: 1, maxLength: 512),
                    "The cursor of the link `next` of a page."),
                Self.format,
            ],
            outcomes: [Self.outcome("Bundle")], errors: FHIR.errors
        ) { call in
            let study = try call.text("study")
            let base = base(study)
            let parameters = FHIRSearchParameters(call: call)
            let search = try parameters.responseSearch(
                Self.versions(in: try await service.definitions(of: study, for: call.caller)))
            let after = try parameters.cursor()
            let requestedCount = call.queryInt("_count") ?? Self.defaultCount
            let counts = requestedCount == 0 || ["estimate", "accurate"].contains(call.query("_total"))
            let page = try await read(
                call, study, search, after: after, limit: min(requestedCount, Self.maximumCount),
                counts: counts)
            let kept = call.pageQuery.filter { $0.name != "_cursor" }
            var links: [(relation: String, url: String)] = [
                ("self", address(base + "/QuestionnaireResponse", call.pageQuery))
            ]
            if let next = page.next, requestedCount > 0 {
                links.append(
                    (
                        "next",
                        address(base + "/QuestionnaireResponse", kept + [("_cursor", Cursor(next).text)])
                    ))
            }
            return Self.bundle(
                page.resources, including: page.scores, base: base, links: links, total: page.total)
        }
    }

    var response: Route {
        Route(
            .get, "/v1/studies/{study}/fhir/QuestionnaireResponse/{response_id}", who: .reader,
            tag: "Readers",
            summary: "Get one answer sheet as a FHIR QuestionnaireResponse",
            parameters: [
                .study,
                .text("response_id", "The id.", example: String(repeating: "0", count: 64)),
            ], query: [Self.format],
            outcomes: [Self.outcome("QuestionnaireResponse")], errors: FHIR.errors
        ) { call in
            let study = try call.text("study")
            guard let sheet = FHIRResponseID.read(try call.text("response_id")) else {
                throw Problem(.notFound)
            }
            var search = ResponseSearch()
            search.sheet = sheet
            _ = try await service.definitions(of: study, for: call.caller)
            let page = try await read(call, study, search, after: nil, limit: 1, counts: false)
            guard let resource = page.resources.first else { throw Problem(.notFound) }
            return .document(.object(resource), contentType: FHIR.contentType)
        }
    }

    // MARK: Reading

    private func read(
        _ call: Call<Identity>, _ study: String, _ search: ResponseSearch, after: [String]?, limit: Int,
        counts: Bool
    ) async throws -> ResponsePage {
        let profile = ReaderService.profile(call.caller, study)
        let page: ResponsePage
        do {
            page = try await service.read(study, for: call.caller, now: call.now) {
                try await $0.responses(search, after: after, limit: limit, counts: counts)
            }
        } catch is TableQueryFault {
            throw FHIRSearchParameters.invalidCursor
        }
        try await service.audit(
            call, study, api: "fhir",
            ["content": "QuestionnaireResponse", "profile": .string(profile.rawValue)])
        return page
    }

    /// Every questionnaire version of the study; the versions of an instrument begin with the newest one.
    private static func versions(in definitions: StudyDefinitions) -> [Questionnaire] {
        definitions.instruments.flatMap { $0.versions.reversed() }
    }

    private static let format = QueryParameter(
        "_format", .string(values: ["json", "application/json", FHIR.contentType]),
        "The format; only JSON is available.")

    // MARK: Replies

    private func base(_ study: String) -> String {
        "\(service.configuration.publicURL)/v1/studies/\(study)/fhir"
    }

    private func address(_ path: String, _ query: [(name: String, value: String)]) -> String {
        let pairs = query.flatMap { name, value in
            // A date contains no comma, so commas separate the values of a repeated parameter.
            (name == "authored" || name == "_lastUpdated"
                ? value.split(separator: ",").map(String.init) : [value])
                .map { "\(PercentEncoding.encode(name))=\(PercentEncoding.encode($0))" }
        }
        return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
    }

    private static func outcome(_ type: String) -> Outcome {
        .document(
            .ok, "A \(type).", FHIR.schema(type), contentType: FHIR.contentType, example: FHIR.example(type))
    }

    private static func bundle(
        _ matches: [JSONObject], including included: [JSONObject] = [], base: String,
        links: [(relation: String, url: String)], total: Int?
    ) -> Reply {
        var bundle: JSONObject = ["resourceType": "Bundle", "type": "searchset"]
        if let total { bundle["total"] = .int(total) }
        bundle["link"] = .array(links.map { ["relation": .string($0.relation), "url": .string($0.url)] })
        let resources = matches.map { ($0, mode: "match") } + included.map { ($0, mode: "include") }
        if !resources.isEmpty {
            bundle["entry"] = .array(
                resources.map { resource, mode in
                    let type = resource["resourceType"]?.string ?? ""
                    let id = resource["id"]?.string ?? ""
                    return [
                        "fullUrl": .string("\(base)/\(type)/\(id)"), "resource": .object(resource),
                        "search": ["mode": .string(mode)],
                    ]
                })
        }
        return .document(.object(bundle), contentType: FHIR.contentType)
    }
}
