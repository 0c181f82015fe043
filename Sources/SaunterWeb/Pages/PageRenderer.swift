import Crypto
import Foundation
import HTTPTypes
import Mustache
import SaunterCore
import SaunterServer

/// Renders pages from templates. A template gets a model of dictionaries, arrays, texts, numbers and truth values.
struct PageRenderer: Sendable {
    static let contentType = "text/html; charset=utf-8"

    /// Only the server's own files. Scripts cannot create markup or other scripts from texts.
    static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; \
        connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; \
        frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types worker
        """
    static let permissionsPolicy =
        "geolocation=(self), accelerometer=(self), screen-wake-lock=(self), camera=()"

    let words: Words
    let assets: Assets
    private let library: MustacheLibrary
    private let cookie: SessionCookie

    /// - Throws: an error of a template or of the words.
    init(publicURL: String, files: WebFiles) throws {
        words = try Words(files)
        assets = try Assets(files)
        library = try Templates.library(files)
        cookie = SessionCookie(publicURL: publicURL)
    }

    /// A page.
    /// - Parameters:
    ///   - template: the name of the template of the page's content.
    ///   - title: the title of the document, which is also the heading of the page.
    ///   - frame: what the page shows around the content.
    func page(
        _ template: String, title: String, _ model: [String: Any] = [:], frame: PageFrame = PageFrame(),
        of request: PageRequest, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Reply {
        var headers = headers
        headers[.contentSecurityPolicy] = Self.contentSecurityPolicy
        headers[Self.permissionsPolicyName] = Self.permissionsPolicy
        headers[.vary] = "Accept-Language, Cookie"
        var model = model
        // Records on the device belong to an account. The digest identifies it and reveals nothing about it.
        model["account"] = request.identity.map { identity in
            Hex.encode(SHA256.hash(data: Data("device \(identity.account)".utf8))).prefix(16).description
        }
        let html = html(template, title: title, model, frame: frame, words: request.words)
        return .bytes(Array(html.utf8), status: status, contentType: Self.contentType, headers: headers)
    }

    /// The document of a page.
    func html(
        _ template: String, title: String, _ model: [String: Any], frame: PageFrame, words: Words.Language
    ) -> String {
        var model = model
        model["w"] = words.texts
        model["lang"] = words.code
        model["dir"] = words.direction
        model["title"] = title
        model["assets"] = assets.addresses
        for (name, value) in frame.model { model[name] = value }
        model["modules"] = frame.modules.filter { $0 != "app" }.map { ["address": assets[$0 + ".js"]] }
        model["content"] = library.render(model, withTemplate: template) ?? ""
        return library.render(model, withTemplate: "layout") ?? ""
    }

    /// The reply to an error: the page for logging in, or a page that says what happened and what to do next.
    func reply(to error: any Error, of request: PageRequest) async throws -> Reply {
        let problem = Problem(error)
        if error is LoginNeeded || problem.type == .tokenInvalid {
            return Self.redirect("/login?next=\(PageAddress.encode(request.target))")
        }
        if problem.type.status >= 500 { throw problem }
        return page(
            "problem", title: request.words["problem", problem.type.slug] ?? problem.type.title,
            model(of: problem, requestID: request.call.requestID, words: request.words), of: request,
            status: HTTPResponse.Status(code: problem.type.status))
    }

    private func model(of problem: Problem, requestID: String, words: Words.Language) -> [String: Any] {
        var model: [String: Any] = ["request_id": requestID]
        model["detail"] = problem.detail ?? problem.type.title
        model["faults"] = problem.faults.map { ["detail": $0.detail] }
        return model
    }

    /// How the gateway writes an error that it found before the page's handler ran.
    var errorFormat: ErrorFormat {
        ErrorFormat(
            contentType: Self.contentType, published: [],
            headers: [.contentSecurityPolicy: Self.contentSecurityPolicy]
        ) { [self] problem, requestID, _ in
            let words = words.language(accepting: nil)
            let html = html(
                "problem", title: problem.type.title,
                model(of: problem, requestID: requestID, words: words), frame: PageFrame(), words: words)
            return Array(html.utf8)
        }
    }

    /// Leads to another page after a form was sent.
    static func redirect(_ path: String, headers: HTTPFields = [:]) -> Reply {
        var headers = headers
        headers[.location] = path
        return .empty(.seeOther, headers: headers)
    }

    /// Leads to another page and starts a session.
    func redirect(_ path: String, session: String) -> Reply {
        Self.redirect(path, headers: [.setCookie: cookie.setting(session)])
    }

    /// Leads to another page and ends the session.
    func redirectEndingSession(_ path: String) -> Reply {
        Self.redirect(
            path, headers: [.setCookie: cookie.removing, Self.clearSiteData: "\"cache\", \"storage\""])
    }

    private static let permissionsPolicyName = HTTPField.Name("Permissions-Policy")!
    private static let clearSiteData = HTTPField.Name("Clear-Site-Data")!
}
