import SaunterCore

/// Parses `dataset` of `study.yaml`.
enum DatasetDescriptionParser {
    /// Parses `{license: {name: CC-BY-4.0, url: "https://…"}, contributors: [{name: Ada, roles: [contact]}]}`.
    static func description(_ node: YAMLNode, _ log: FaultLog) -> DatasetDescription? {
        guard let fields = Fields(node, of: "dataset", keys: ["license", "contributors"], log: log) else {
            return nil
        }
        return DatasetDescription(
            license: fields.optional("license", license),
            contributors: fields.optional("contributors") { $0.list($1, of: contributor) } ?? [])
    }

    private static func license(_ node: YAMLNode, _ log: FaultLog) -> DatasetDescription.License? {
        guard let fields = Fields(node, of: "a licence", keys: ["name", "url"], log: log) else { return nil }
        let url = fields.optional("url", url)
        guard let name = fields.required("name", { $0.text($1) }) else { return nil }
        guard DatasetDescription.License.isValid(name: name) else {
            log.note(
                fields.line(of: "name"),
                "expected the identifier of a licence such as CC-BY-4.0, found \"\(name.prefix(60))\"")
            return nil
        }
        return DatasetDescription.License(name: name, url: url)
    }

    private static func contributor(_ node: YAMLNode, _ log: FaultLog) -> DatasetDescription.Contributor? {
        let keys = ["name", "organization", "email", "url", "roles"]
        guard let fields = Fields(node, of: "a contributor", keys: keys, log: log) else { return nil }
        let organization = fields.optional("organization") { $0.text($1) }
        let email = fields.optional("email", email)
        let url = fields.optional("url", url)
        let roles = fields.optional("roles") { $0.list($1, of: { $0.text($1) }) }
        guard let name = fields.required("name", { $0.text($1) }) else { return nil }
        return DatasetDescription.Contributor(
            name: name, organization: organization, email: email, url: url, roles: roles ?? [])
    }

    /// An address that begins with `https://` or `http://` and has no spaces.
    private static func url(_ node: YAMLNode, _ log: FaultLog) -> String? {
        guard let text = node.text(log) else { return nil }
        let isAddress = ["https://", "http://"].contains { text.hasPrefix($0) && text.count > $0.count }
        guard isAddress, !text.contains(where: \.isWhitespace) else {
            log.note(
                node.line, "expected an address such as https://example.org, found \"\(text.prefix(60))\"")
            return nil
        }
        return text
    }

    /// A text with one `@` that is neither the first nor the last character, and without spaces.
    private static func email(_ node: YAMLNode, _ log: FaultLog) -> String? {
        guard let text = node.text(log) else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !text.contains(where: \.isWhitespace)
        else {
            log.note(
                node.line, "expected a mail address such as ada@example.org, found \"\(text.prefix(60))\"")
            return nil
        }
        return text
    }
}
