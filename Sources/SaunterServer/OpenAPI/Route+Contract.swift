import HTTPTypes
import SaunterCore

extension Route {
    /// How a reply departs from what the route publishes: an undeclared status or content type, a body that does not fit its schema. Empty for
    /// a true one. Tests hang it into the gateway as its witness, so that every exchange checks the contract.
    package func departures(of reply: Reply) -> [Fault] {
        let declared = outcomes.filter { $0.status == reply.status }
        guard !declared.isEmpty else {
            return [departure("undeclared_status", "The status \(reply.status.code) is not declared.")]
        }
        let type = reply.headers[.contentType]
        guard let outcome = declared.first(where: { $0.contentType == type }) else {
            return [
                departure("undeclared_content_type", "The content type \(type ?? "none") is not declared.")
            ]
        }
        guard case .json(let value) = reply.body, let schema = outcome.schema else { return [] }
        return schema.faults(in: value)
    }

    private func departure(_ code: String, _ detail: String) -> Fault {
        Fault(pointer: "", code: code, detail: "\(method) \(path): \(detail)")
    }
}
