import ArgumentParser
import Console
import SaunterCohort
import SaunterCore

/// Reports whether the server accepts requests. Containers and scripts use it.
struct Healthcheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check whether a running server is ready; exit status 0 if it is.",
        discussion: "Example: saunter healthcheck --url http://127.0.0.1:8080")

    @Option(help: "The URL of the server; unset: the address in the settings.")
    var url: String?
    @Flag(help: "Print nothing.") var quiet = false
    @Flag(help: "Print the response of the server as JSON.") var json = false
    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let address = try url ?? options.settings().localURL
        do {
            let reply = try await ServerClient(url: address).send(
                "GET", "/health/ready", timeout: .seconds(5))
            let text = reply.isSuccess ? "ready" : "not ready: \(reply.json.text)"
            if !quiet { Terminal.line(json ? reply.json.text : text) }
            if !reply.isSuccess { throw ExitCode.failure }
        } catch let fault as ServerUnreachable {
            if !quiet { Terminal.error(fault.description) }
            throw ExitCode.failure
        }
    }
}
