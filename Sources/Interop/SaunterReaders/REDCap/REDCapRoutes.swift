import Foundation
import HTTPTypes
import SaunterCore
import SaunterEvaluation
import SaunterServer

/// The route through which PyCap, REDCapR and other clients of REDCap read a study.
struct REDCapRoutes: Sendable {
    let service: ReaderService

    /// The values of the field `content`.
    static let contents = [
        "arm", "dag", "event", "exportFieldNames", "formEventMapping", "instrument", "metadata", "project",
        "record", "repeatingFormsEvents", "user", "version",
    ]

    var api: Route {
        Route(
            .post, "/v1/studies/{study}/redcap/api/", who: .reader, tag: "Readers",
            summary: "Read the study with a client of REDCap",
            description: """
                Each participant is a record, each arm an arm, each schedule an event, and each answer sheet an instance of its form. Values, codes and \
                blank cells are those of the dataset. Send an API token in the field `token`. The formats are json and csv. The contents are \
                \(Self.contents.joined(separator: ", ")). `exportMissingDataCodes=true` returns the reasons of blank cells. dateRangeBegin and dateRangeEnd are \
                in UTC. Each form ends with its scores, as read-only number fields `<instrument>_<scale>`.
                """,
            parameters: [.study],
            body: .form(
                .named(
                    "REDCapRequest",
                    .object(
                        [
                            .required(
                                "content", .string(minLength: 1, maxLength: 60),
                                "What the client asks for, such as `record`, `metadata` or `version`."),
                            .optional("token", .string(), "The API token."),
                            .optional("format", .string(maxLength: 10), "json or csv."),
                            .optional(
                                "returnFormat", .string(maxLength: 10),
                                "The format of errors: json, csv or xml."),
                            .optional("type", .string(maxLength: 10), "The layout of records: flat or eav."),
                        ], additional: .string())),
                example: ["content": "record", "format": "json", "type": "flat"]),
            outcomes: [
                .json(
                    .ok, "The content in JSON.", .anyOf([.array(of: .map(of: .any)), .map(of: .any)]),
                    example: [["record_id": "P7K2M9", "redcap_event_name": "day_7_arm_1", "q1": "3"]]),
                .file(.ok, "The content in CSV.", contentType: Self.csv, example: "record_id,q1\nP7K2M9,3\n"),
                .file(
                    .ok, "The version of REDCap whose API this is.", contentType: Self.plain,
                    example: REDCapListing.version),
            ], errors: REDCapErrorFormat.errors
        ) { call in
            let study = try call.text("study")
            let parameters = try REDCapParameters(call.body)
            let content = parameters["content"] ?? ""
            guard Self.contents.contains(content) else {
                throw Problem(.requestInvalid, "The value of the parameter \"content\" is not valid.")
            }
            if content == "version" {
                return .bytes(Array(REDCapListing.version.utf8), contentType: Self.plain)
            }
            let format = try Self.format(parameters)
            if content == "record" { return try await records(call, study, parameters, format) }
            let project = REDCapProject(try await service.definitions(of: study, for: call.caller))
            let listing = try REDCapListing(content, project, parameters)
            switch format {
            case .json: return .json(.ok, listing.json)
            case .csv(let delimiter): return .bytes(listing.csv(delimiter), contentType: Self.csv)
            }
        }
    }

    private static let csv = "text/csv; charset=utf-8"
    private static let plain = "text/plain; charset=utf-8"

    private static func format(_ parameters: REDCapParameters) throws(Problem) -> REDCapSelection.Format {
        let isCSV = try parameters.word("format", ["json": false, "csv": true], default: nil as Bool?)
        guard let isCSV else { throw Problem(.requestInvalid, "The format must be json or csv.") }
        guard isCSV else { return .json }
        let delimiters: KeyValuePairs<String, UInt8> = [
            ",": 0x2C, ";": 0x3B, "|": 0x7C, "^": 0x5E, "tab": 0x09, "\t": 0x09,
        ]
        return .csv(try parameters.word("csvDelimiter", delimiters, default: 0x2C))
    }

    private func records(
        _ call: Call<Identity>, _ study: String, _ parameters: REDCapParameters,
        _ format: REDCapSelection.Format
    ) async throws -> Reply {
        let project = REDCapProject(try await service.definitions(of: study, for: call.caller))
        var selection = try REDCapSelection(parameters, project)
        selection.format = format
        let requested = selection
        let profile = ReaderService.profile(call.caller, study)
        let file = try await service.spool { folder, sink in
            try await service.read(study, for: call.caller, now: call.now) { session in
                // The snapshot may contain a version that was published after `project` was read, so the project is
                // built again.
                try await REDCapRecords(session, REDCapProject(session.definitions), requested)
                    .write(into: folder, sink)
            }
        }
        try await service.audit(
            call, study, api: "redcap",
            ["content": "record", "profile": .string(profile.rawValue)])
        return try file.reply(contentType: format == .json ? "application/json" : Self.csv)
    }
}
