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
    let anonymous = AnonymousPages(context: context)
    let today = TodayPage(context: context)
    let answers = AnswerPages(context: context)
    let entries = EntriesPage(context: context)
    let programmes = ProgrammePages(context: context)
    let insights = InsightsPage(context: context)
    let more = MorePages(context: context)
    let settings = SettingsPages(context: context)
    let device = DevicePages(context: context)
    let upload = DeviceUpload(context: context)
    let offline = OfflinePlan(context: context)
    let walks = WalkPages(context: context)
    let calibration = CalibrationPages(context: context)
    let recorder = RecorderPage(context: context)
    let imports = WalkImportPages(context: context)
    let joining = JoinPages(context: context)
    let renewal = RenewalPages(context: context)
    let email = EmailPages(context: context)
    let messages = MessagesPages(context: context)
    let studySettings = StudySettingsPages(context: context)
    let staffStudies = StudiesPage(context: context)
    let studyOverview = OverviewPage(context: context)
    let participants = ParticipantsPage(context: context)
    let adherence = AdherencePage(context: context)
    let staffDevices = DevicesPage(context: context)
    let alerts = AlertsPage(context: context)
    let participant = ParticipantPage(context: context)
    let participantActions = ParticipantActionsPage(context: context)
    let staffSheet = StaffSheetPage(context: context)
    let staffWalks = StaffWalksPage(context: context)
    let scores = ScoresPage(context: context)
    let staffMessages = StaffMessagesPage(context: context)
    let broadcasts = BroadcastsPage(context: context)
    let arms = ArmsPage(context: context)
    let audit = AuditPage(context: context)
    let rules = RulesPage(context: context)
    let variables = VariablesPage(context: context)
    let versions = VersionsPage(context: context)
    let publishing = PublishPage(context: context)
    let staffJoin = StaffJoinPage(context: context)
    let exports = ExportsPage(context: context)
    let tokens = TokensPage(context: context)
    let draftImport = DraftImportPage(context: context)
    let staffRoles = RolesPage(context: context)
    let draft = DraftPage(context: context)
    let draftFile = DraftFilePage(context: context)
    let draftForms = DraftFormPages(context: context)
    let collections = CollectionPages(context: context)
    let journeys = JourneysPage(context: context)
    let journey = JourneyPage(context: context)
    let practice = PracticePage(context: context)
    let raising = RaisePage(context: context)
    let staffLogin = StaffLoginPage(context: context)
    let studyFiles = StudyFiles(context: context)
    let features = FeaturePages(context: context)
    let plans = PlanPages(context: context)
    let staffEntitlements = EntitlementsPage(context: context)
    let welcome = WelcomePage(context: context)
    let library = LibraryPages(context: context)
    let dryRuns = DryRunPage(context: context)
    let rehearsal = RehearsalPages(context: context)
    return [
        renderer.assets.route(context),
        start.start, start.study, start.mine,
        accounts.login, accounts.sendLogin, accounts.link, accounts.sendLink, accounts.logout,
        accounts.register,
        accounts.sendRegistration, accounts.reset, accounts.sendReset, accounts.resetCode,
        accounts.sendResetCode,
        anonymous.start, anonymous.signUp, anonymous.sendSignUp, anonymous.adopt, anonymous.adopted,
        anonymous.logOut,
        today.today, insights.insights, insights.printable, more.more, more.course, more.licences,
        messages.messages, messages.open,
        answers.occasion, answers.sendOccasion, answers.entry, answers.sendEntry, answers.sheet, answers.edit,
        answers.sendEdit, answers.delete, answers.sendDelete, entries.entries,
        programmes.programmes, programmes.programme, programmes.entries,
        settings.settings, settings.save, settings.appearance, settings.pause, settings.leave,
        settings.sendLeave,
        settings.eraseAccount, settings.sendEraseAccount, settings.erased,
        device.unsent, device.offline, device.worker, studyFiles.manifest, studyFiles.media,
        studyFiles.mine,
        features.feature, features.open, library.collection, library.draw, library.contacts, welcome.welcome,
        plans.study, plans.own, staffEntitlements.entitlements, staffEntitlements.change,
        upload.upload, offline.plan, offline.key,
        walks.walks, walks.walk, walks.samples, walks.delete, calibration.form, calibration.send,
        recorder.record, imports.form, imports.send,
        joining.join, joining.sendCode, joining.consent, joining.sendConsent,
        renewal.consent, renewal.sendConsent, email.confirm, email.sendCode, email.resend,
        studySettings.form, studySettings.send, staffStudies.studies, staffStudies.create,
        studyOverview.overview,
        participants.participants, participant.participant, participantActions.actions,
        participantActions.act, staffSheet.sheet, adherence.adherence,
        staffDevices.devices,
        scores.scores, scores.questionnaire, scores.compute, scores.rows,
        staffMessages.messages, broadcasts.broadcasts, broadcasts.send, broadcasts.cancel,
        staffWalks.walks, staffWalks.walk, staffWalks.samples, arms.arms, arms.unblind, audit.audit,
        rules.rules, rules.rule, variables.variables,
        versions.versions, versions.move, versions.restore, versions.version, publishing.preview,
        publishing.publish,
        publishing.takeLibrary,
        staffJoin.join, staffJoin.create, staffJoin.revoke, staffJoin.poster, staffJoin.codePoster,
        exports.exports, exports.create, exports.end, exports.lines,
        tokens.tokens, tokens.create, tokens.revoke, draftImport.form, draftImport.send,
        staffRoles.roles, staffRoles.invite, staffRoles.confirmRemoval, staffRoles.remove,
        draft.draft, draft.start, draft.upload, draft.discard,
        draftFile.file, draftFile.save, draftFile.uploadForm, draftFile.upload,
        draftFile.media, draftFile.delete, draftFile.typed,
        draftForms.words, draftForms.saveWords, draftForms.schedule, draftForms.saveSchedule,
        collections.collections, collections.collection, collections.move, collections.newItem,
        collections.item, collections.save, collections.delete,
        journeys.journeys, journeys.change, journey.journey, journey.save, journey.addPractice,
        journey.upload,
        practice.practice, practice.save, practice.upload, practice.delete, raising.raise,
        alerts.alerts, alerts.acknowledge, staffLogin.form, staffLogin.send,
        dryRuns.dryRun,
        rehearsal.today, rehearsal.occasion, rehearsal.sendOccasion, rehearsal.entry, rehearsal.sendEntry,
    ]
}
