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
        "bluetooth=(self), geolocation=(self), accelerometer=(self), screen-wake-lock=(self), camera=()"

    let words: Words
    let assets: Assets
    private let library: MustacheLibrary
    /// Changes with every release that changes a page. Documents that a device keeps are fetched again then.
    let release: String
    private let cookie: SessionCookie
    private let publicURL: String

    /// - Throws: an error of a template or of the words.
    init(publicURL: String, files: WebFiles) throws {
        words = try Words(files)
        assets = try Assets(files, words)
        library = try Templates.library(files)
        var digest = SHA256()
        for file in try files.templates() + files.assets() { digest.update(data: file.bytes) }
        for file in try files.words() { digest.update(data: file.yaml) }
        release = Hex.encode(digest.finalize()).prefix(16).description
        cookie = SessionCookie(publicURL: publicURL)
        self.publicURL = publicURL
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
        if let language = request.chosenLanguage, headers[.setCookie] == nil {
            headers[.setCookie] = VisitorLanguage.cookie(
                language, publicURL: publicURL)
        }
        var model = model
        if request.identity == nil { model["other_languages"] = otherLanguages(request) }
        model["account"] = request.identity.map { Self.deviceAccount(of: $0) }
        model["is_anonymous"] = request.identity?.isAnonymousSession ?? false
        model["device_words"] = assets[request.words.scriptName]
        var frame = frame
        frame.mode = frame.mode ?? Appearance(of: request.call.headers).rawValue
        let html = html(template, title: title, model, frame: frame, words: request.words)
        return .bytes(Array(html.utf8), status: status, contentType: Self.contentType, headers: headers)
    }

    /// The digest that identifies the account to which the records in a browser belong. It reveals nothing about the
    /// account.
    static func deviceAccount(of identity: Identity) -> String {
        Hex.encode(SHA256.hash(data: Data("device \(identity.account)".utf8))).prefix(16).description
    }

    /// Links to the page in the other languages.
    private func otherLanguages(_ request: PageRequest) -> [[String: String]] {
        words.languages.filter { $0.code != request.words.code }.map { language in
            [
                "code": language.code, "name": language.text("frame", "language_name"),
                "address": VisitorLanguage.address(of: request.target, in: language.code),
            ]
        }
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
        model["imports"] = assets.imports(of: ["app"] + frame.modules)
        model["styles"] = frame.styles.map { ["address": assets[$0 + ".css"]] }
        model["modules"] = frame.modules.filter { $0 != "app" }.map { ["address": assets[$0 + ".js"]] }
        model["content"] = library.render(model, withTemplate: template) ?? ""
        return library.render(model, withTemplate: "layout") ?? ""
    }

    /// The reply to an error: the page for logging in, the page that asks for the password again, or a page that says
    /// what happened and what to do next.
    func reply(to error: any Error, of request: PageRequest) async throws -> Reply {
        let problem = Problem(error)
        if error is LoginNeeded || problem.type == .tokenInvalid {
            return Self.redirect("/login?next=\(PageAddress.encode(request.target))")
        }
        if problem.type == .passwordRequired {
            return Self.redirect(StaffLoginPage.address(next: request.target))
        }
        // The gateway logs errors of the server, and writes them in `errorFormat`.
        if problem.type.status >= 500 { throw error }
        var headers = problem.headers
        if let seconds = problem.retryAfter { headers[.retryAfter] = String(seconds) }
        return page(
            "problem", title: ProblemText(problem, request.words).title,
            Self.model(of: problem, request.call.requestID, request.words),
            frame: PageFrame(
                home: request.identity == nil ? "/" : "/my", isLoggedIn: request.identity != nil),
            of: request, status: HTTPResponse.Status(code: problem.type.status), headers: headers)
    }

    private static func model(
        of problem: Problem, _ requestID: String, _ words: Words.Language
    ) -> [String: Any] {
        ["text": ProblemText(problem, words).text, "request_id": requestID]
    }

    /// How the gateway writes an error that it found before the page's handler ran, or an error of the server.
    /// - Parameter headers: of the request. They determine the language and the colour scheme.
    func errorFormat(_ headers: HTTPFields = [:]) -> ErrorFormat {
        ErrorFormat(
            contentType: Self.contentType, published: [],
            headers: [
                .contentSecurityPolicy: Self.contentSecurityPolicy,
                Self.permissionsPolicyName: Self.permissionsPolicy, .vary: "Accept-Language, Cookie",
            ], adapt: { [self] in errorFormat($0) }
        ) { [self] problem, requestID, _ in
            let words = words.language(
                accepting: VisitorLanguage.chosen(in: headers) ?? headers[.acceptLanguage])
            let html = html(
                "problem", title: ProblemText(problem, words).title,
                Self.model(of: problem, requestID, words),
                frame: PageFrame(mode: Appearance(of: headers).rawValue), words: words)
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
    func redirect(_ path: String, session: String, kind: AccountKind = .registered) -> Reply {
        Self.redirect(path, headers: [.setCookie: cookie.setting(session, kind: kind)])
    }

    /// Keeps the session cookie of an anonymous account longer if the request extended its login. A reply that starts
    /// or ends a session stays as it is.
    func renewing(_ reply: Reply, of request: PageRequest) -> Reply {
        guard let value = request.identity?.renewedCookie,
            !reply.headers[values: .setCookie].contains(where: cookie.isSession)
        else { return reply }
        var reply = reply
        reply.headers.append(HTTPField(name: .setCookie, value: cookie.setting(value, kind: .anonymous)))
        return reply
    }

    /// Leads to another page and ends the session.
    /// - Parameter isErased: whether the browser also deletes everything that it keeps of this server, unsent answers
    ///   included.
    func redirectEndingSession(_ path: String, isErased: Bool = false) -> Reply {
        var headers: HTTPFields = [.setCookie: cookie.removing]
        if isErased { headers[Self.clearSiteData] = "\"cache\", \"storage\"" }
        return Self.redirect(path, headers: headers)
    }

    private static let permissionsPolicyName = HTTPField.Name("Permissions-Policy")!
    private static let clearSiteData = HTTPField.Name("Clear-Site-Data")!
}
