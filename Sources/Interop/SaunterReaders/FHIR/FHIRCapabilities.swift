import SaunterCore

/// The CapabilityStatement of a study. Each study is a separate FHIR server.
enum FHIRCapabilities {
    static func json(base: String, version: String, now: Instant) -> JSON {
        [
            "resourceType": "CapabilityStatement", "status": "active", "date": .string(now.description),
            "kind": "instance", "software": ["name": "Saunter", "version": .string(version)],
            "implementation": [
                "description": "Instruments and answer sheets of a study", "url": .string(base),
            ],
            "fhirVersion": "4.0.1", "format": [.string(FHIR.contentType), "json"],
            "rest": [
                [
                    "mode": "server",
                    "security": [
                        "description": "A Bearer token: an API token of the study, or an access token."
                    ],
                    "resource": [
                        resource(
                            "Questionnaire",
                            ["_id": "token", "url": "uri", "version": "token", "name": "string"]),
                        resource(
                            "QuestionnaireResponse",
                            [
                                "_id": "token", "questionnaire": "reference", "subject": "reference",
                                "authored": "date", "_lastUpdated": "date",
                            ], included: ["Observation:derived-from"]),
                    ],
                ]
            ],
        ]
    }

    /// - Parameter included: the references by which other resources can be added to a search.
    private static func resource(
        _ type: String, _ parameters: KeyValuePairs<String, String>, included: [String] = []
    ) -> JSON {
        var resource: JSONObject = [
            "type": .string(type), "interaction": [["code": "read"], ["code": "search-type"]],
            "versioning": "no-version",
            "searchParam": .array(
                parameters.map { ["name": .string($0.key), "type": .string($0.value)] }),
        ]
        if !included.isEmpty { resource["searchRevInclude"] = .array(included.map(JSON.string)) }
        return .object(resource)
    }
}
