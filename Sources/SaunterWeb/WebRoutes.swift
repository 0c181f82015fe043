import Foundation
import SaunterServer

/// The pages of the web app. They use the same routes as apps do, inside the process.
/// - Parameter files: a folder with assets, templates and words, which developers use instead of the embedded ones.
/// - Throws: an error of a template or of the words, which a developer must correct.
package func webRoutes(_ server: ServerContext, files: URL? = nil) throws -> [Route] {
    let renderer = try PageRenderer(
        publicURL: server.configuration.publicURL, files: WebFiles(folder: files))
    let context = PageContext(server: server, api: try server.localAPI(), renderer: renderer)
    let start = StartPages(context: context)
    let accounts = AccountPages(context: context)
    let today = TodayPage(context: context)
    let answers = AnswerPages(context: context)
    let entries = EntriesPage(context: context)
    let insights = InsightsPage(context: context)
    let more = MorePages(context: context)
    let settings = SettingsPages(context: context)
    let device = DevicePages(context: context)
    let walks = WalkPages(context: context)
    let joining = JoinPages(context: context)
    return [
        renderer.assets.route(context),
        start.start, start.study, start.mine,
        accounts.login, accounts.sendLogin, accounts.link, accounts.sendLink, accounts.logout,
        accounts.register,
        accounts.sendRegistration, accounts.reset, accounts.sendReset, accounts.resetCode,
        accounts.sendResetCode,
        today.today, insights.insights, more.more, more.course, more.licences, more.messages,
        answers.occasion, answers.sendOccasion, answers.entry, answers.sendEntry, answers.sheet, answers.edit,
        answers.sendEdit, answers.delete, answers.sendDelete, entries.entries,
        settings.settings, settings.save, settings.pause, settings.leave, settings.sendLeave,
        settings.eraseAccount, settings.sendEraseAccount, settings.erased,
        device.unsent, device.offline, device.worker, device.manifest,
        walks.walks, walks.walk, walks.delete, walks.calibrate, walks.sendCalibration, walks.record,
        walks.importing,
        joining.consent, joining.sendConsent,
    ]
}
