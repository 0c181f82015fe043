import SaunterCore

/// In whose words a route refuses: our own, or those of the system whose clients call it. The status is the same in all.
package enum RefusalShape: Sendable, Hashable {
    /// RFC 9457.
    case problem
    /// As REDCap writes its errors, in the format that the client asked for.
    case redcap(REDCapRefusal)
    /// An OperationOutcome.
    case fhir
    /// OData v4, JSON.
    case odata

    /// What the `Content-Type` says.
    var contentType: String {
        switch self {
        case .problem: "application/problem+json"
        case .redcap(let format): format.contentType
        case .fhir: FHIR.contentType
        case .odata: "application/json"
        }
    }

    /// The document.
    func bytes(_ problem: Problem, requestID: String, publicURL: String) -> [UInt8] {
        switch self {
        case .problem: problem.document(requestID: requestID, publicURL: publicURL).bytes
        case .redcap(let format): format.bytes(problem)
        case .fhir: FHIR.outcome(problem, requestID: requestID).bytes
        case .odata: ODataRefusal.json(problem).bytes
        }
    }

    /// The same in the format that a form asks for.
    func asked(by form: FormBody) -> RefusalShape {
        guard case .redcap = self else { return self }
        return .redcap(REDCapRefusal(form))
    }

    /// Every content type that the route may refuse with, with the schema where it is JSON.
    var published: [(contentType: String, schema: Schema?)] {
        switch self {
        case .problem: [(contentType, Problem.schema)]
        case .redcap:
            REDCapRefusal.allCases.map { ($0.contentType, $0 == .json ? REDCapRefusal.schema : nil) }
        case .fhir: [(contentType, FHIR.outcomeSchema)]
        case .odata: [(contentType, ODataRefusal.schema)]
        }
    }
}
