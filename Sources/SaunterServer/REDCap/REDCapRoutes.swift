import Foundation
import HTTPTypes
import SaunterCore
import SaunterEvaluation
import SaunterStore

/// A study as PyCap, REDCapR and other clients of REDCap read it.
struct REDCapRoutes: Sendable {
    let context: ServerContext

    static let readable = [
        "arm", "dag", "event", "exportFieldNames", "formEventMapping", "instrument", "metadata", "project",
        "record", "repeatingFormsEvents", "user", "version",
    ]

    var api: Route {
        Route(
            .post, "/v1/studies/{study}/redcap/api/", who: .reader, tag: "Readers",
            summary: "Read the study with a client of REDCap",
            description: """
                A participant is a record, an arm an arm, a schedule an event, and each sheet an instance of its form; values and codes are those of the \
                dataset, and what is blank there is blank here. An API token goes into the field `token`. Formats are json and csv. Contents: \
                \(Self.readable.joined(separator: ", ")). `exportMissingDataCodes=true` tells why cells are blank. dateRangeBegin and dateRangeEnd are in UTC.
                """,
            parameters: [.study],
            body: .form(
                .named(
                    "REDCapRequest",
                    .object(
                        [
                            .required("content", .string(minLength: 1, maxLength: 60)),
                            .optional("token", .string(), "The API token."),
                            .optional("format", .string(maxLength: 10), "json or csv."),
                            .optional("returnFormat", .string(maxLength: 10), "Of errors."),
                            .optional("type", .string(maxLength: 10), "Of records: flat or eav."),
                        ], additional: .string())),
                example: ["content": "record", "format": "json", "type": "flat"]),
            outcomes: [
                .json(.ok, "In JSON.", .anyOf([.array(of: .map(of: .any)), .map(of: .any)])),
                .file(.ok, "In CSV.", contentType: Self.csv),
                .file(.ok, "The version.", contentType: Self.plain),
            ], refusals: .redcap(.json)
        ) { call in
            let study = try call.text("study")
            let parameters = try REDCapParameters(call.body)
            let content = parameters["content"] ?? ""
            guard Self.readable.contains(content) else {
                throw Problem(.requestInvalid, "The value of the parameter \"content\" is not valid")
            }
            if content == "version" {
                return .bytes(Array(REDCapListing.version.utf8), contentType: Self.plain)
            }
            let format = try Self.format(parameters)
            if content == "record" { return try await records(call, study, parameters, format) }
            let project = REDCapProject(try await definitions(study))
            let listing = try REDCapListing(content, project, parameters)
            switch format {
            case .json: return .json(.ok, listing.json)
            case .csv(let delimiter): return .bytes(listing.csv(delimiter), contentType: Self.csv)
            }
        }
    }

    static let csv = "text/csv; charset=utf-8"
    static let plain = "text/plain; charset=utf-8"

    private static func format(_ parameters: REDCapParameters) throws(Problem) -> REDCapSelection.Format {
        let isCSV = try parameters.word("format", ["json": false, "csv": true], otherwise: nil as Bool?)
        guard let isCSV else { throw Problem(.requestInvalid, "The format must be json or csv.") }
        guard isCSV else { return .json }
        let delimiters: KeyValuePairs<String, UInt8> = [
            ",": 0x2C, ";": 0x3B, "|": 0x7C, "^": 0x5E, "tab": 0x09, "\t": 0x09,
        ]
        return .csv(try parameters.word("csvDelimiter", delimiters, otherwise: 0x2C))
    }

    private func definitions(_ study: String) async throws -> StudyDefinitions {
        do {
            return try await context.readings.reading.definitions(of: study)
        } catch DatasetFault.unknownStudy {
            throw Problem(.notFound)
        }
    }

    private func records(
        _ call: Call<Identity>, _ study: String, _ parameters: REDCapParameters,
        _ format: REDCapSelection.Format
    ) async throws -> Reply {
        let project = REDCapProject(try await definitions(study))
        var selection = try REDCapSelection(parameters, project)
        selection.format = format
        let asked = selection
        let profile = ReadingDesk.profile(call.caller, study)
        let (file, rows) = try await context.readings.spool { folder, sink in
            try await context.readings.reading.read(study, profile: profile, now: call.now) { reading in
                // A version that was published in between has the fields of its own.
                try await REDCapRecords(reading, REDCapProject(reading.definitions), asked)
                    .write(into: folder, sink)
            }
        }
        try await context.readings.note(
            call, study, api: "redcap",
            ["content": "record", "profile": .string(profile.rawValue), "rows": .int(rows)])
        return try file.reply(contentType: format == .json ? "application/json" : Self.csv)
    }
}
