extension ServerContext {
    /// The API for callers inside the process, such as the pages of the web app.
    /// - Throws: `RouteFault` if the routes contradict each other.
    package func localAPI() throws -> LocalAPI {
        try LocalAPI(apiRoutes(self).map { $0.audited(by: audit) })
    }
}

/// The routes that this target defines, grouped by resource. `SaunterApp` adds the routes for operation and the API
/// reference, and those of the web app and the readers.
func apiRoutes(_ context: ServerContext) -> [Route] {
    let accounts = AccountRoutes(context: context)
    let anonymous = AnonymousAccountRoutes(context: context)
    let tokens = TokenRoutes(context: context)
    let verifications = EmailVerificationRoutes(context: context)
    let studies = StudyRoutes(context: context)
    let versions = VersionRoutes(context: context)
    let dryRuns = DryRunRoutes(context: context)
    let rehearsals = RehearsalRoutes(context: context)
    let drafts = DraftRoutes(context: context)
    let draftCollections = DraftCollectionRoutes(context: context)
    let draftImports = DraftImportRoutes(context: context)
    let draftProgrammes = DraftProgrammeRoutes(context: context)
    let draftPractices = DraftPracticeRoutes(context: context)
    let draftVersions = DraftVersionRoutes(context: context)
    let draftLibrary = DraftLibraryRoutes(context: context)
    let differences = DifferenceRoutes(context: context)
    let publications = PublicationRoutes(context: context)
    let enrolments = EnrolmentRoutes(context: context)
    let enrolmentCodes = EnrolmentCodeRoutes(context: context)
    let consents = ConsentRoutes(context: context)
    let dataKinds = DataKindRoutes(context: context)
    let settings = SettingsRoutes(context: context)
    let ownData = OwnDataRoutes(context: context)
    let entitlements = EntitlementRoutes(context: context)
    let overview = OverviewRoutes(context: context)
    let events = EventRoutes(context: context)
    let reminders = ReminderRoutes(context: context)
    let inbox = InboxRoutes(context: context)
    let decisions = DecisionRoutes(context: context)
    let rules = RuleRoutes(context: context)
    let alerts = AlertRoutes(context: context)
    let broadcasts = BroadcastRoutes(context: context)
    let pushes = PushRoutes(context: context)
    let webhooks = WebhookRoutes(context: context)
    let sheets = AnswerSheetRoutes(context: context)
    let walks = WalkRoutes(context: context)
    let walkImports = WalkImportRoutes(context: context)
    let observations = ObservationRoutes(context: context)
    let dataPoints = DataPointRoutes(context: context)
    let insights = InsightRoutes(context: context)
    let variables = VariableRoutes(context: context)
    let library = LibraryRoutes(context: context)
    let media = MediaRoutes(context: context)
    let mediaUploads = MediaUploadRoutes(context: context)
    let programmes = ProgrammeRoutes(context: context)
    let sync = SyncRoutes(context: context)
    let deviceChanges = DeviceChangeRoutes(context: context)
    let devices = DeviceRoutes(context: context)
    let participant = ParticipantDetailRoutes(context: context)
    let participantActions = ParticipantActionRoutes(context: context)
    let timeline = TimelineRoutes(context: context)
    let staffSheets = StaffSheetRoutes(context: context)
    let participants = ParticipantRoutes(context: context)
    let adherence = AdherenceRoutes(context: context)
    let studyOverview = StudyOverviewRoutes(context: context)
    let staffStudies = StaffStudyRoutes(context: context)
    let live = LiveRoutes(context: context)
    let balance = BalanceRoutes(context: context)
    let arms = ArmRoutes(context: context)
    let unblindings = UnblindingRoutes(context: context)
    let audit = AuditRoutes(context: context)
    let staffWalks = StaffWalkRoutes(context: context)
    let staffMessages = StaffMessageRoutes(context: context)
    let roles = RoleRoutes(context: context)
    let statistics = StatisticsRoutes(context: context)
    let scores = ScoreRoutes(context: context)
    let exports = ExportRoutes(context: context)
    let changes = ChangeRoutes(context: context)
    let rescorings = RescoringRoutes(context: context)
    let apiTokens = APITokenRoutes(context: context)
    let beacons = BeaconRoutes(context: context)
    return [
        accounts.register, accounts.get, accounts.patch, accounts.delete,
        anonymous.create, anonymous.register, anonymous.adopt,
        tokens.logIn, tokens.refresh, tokens.logOut, tokens.confirm, tokens.startReset, tokens.finishReset,
        verifications.start, verifications.finish,
        studies.list, studies.get,
        enrolments.create, enrolments.list, enrolments.get, enrolments.patch, enrolments.withdraw,
        entitlements.plans, entitlements.own, entitlements.purchase, entitlements.notice,
        entitlements.ofParticipant, entitlements.give, entitlements.revoke,
        consents.create, dataKinds.delete, settings.list, ownData.export,
        overview.overview, overview.occasions, overview.questionnaire, events.put, events.list,
        reminders.snooze, reminders.messages, reminders.receipt, inbox.list, inbox.prompts, inbox.snooze,
        inbox.awards, rules.list, decisions.list, alerts.list, alerts.acknowledge,
        broadcasts.put, broadcasts.get, broadcasts.delete, broadcasts.list, broadcasts.preview,
        pushes.key, pushes.put, pushes.list, pushes.delete, webhooks.put, webhooks.get, webhooks.delete,
        sheets.put, sheets.list, sheets.get, sheets.patch, sheets.delete,
        insights.own, insights.ofParticipant, variables.list,
        library.publicList, library.publicToday, library.list, library.items, library.today, library.draw,
        media.open, media.own, mediaUploads.create,
        programmes.list, programmes.get, programmes.entries, programmes.recommendations,
        walks.putCalibration, walks.currentCalibration, walks.put, walks.list, walks.get, walks.delete,
        walkImports.create,
        observations.put, observations.list, observations.get, observations.delete,
        dataPoints.create, dataPoints.list,
        sync.sync, deviceChanges.list,
        staffStudies.list, studyOverview.overview, participants.list, adherence.adherence, devices.list,
        balance.balance,
        arms.get, arms.put, unblindings.ofParticipant, unblindings.ofStudy, unblindings.list, audit.list,
        participantActions.contact, participantActions.resetPassword, participantActions.withdraw,
        participant.get, timeline.list, staffSheets.get, staffWalks.list, staffWalks.get,
        staffMessages.list, staffMessages.days, staffMessages.unreachable,
        roles.list, roles.invite, roles.remove,
        statistics.list, statistics.get, statistics.request, scores.list,
        live.stream,
        dryRuns.run, rehearsals.rehearse, rehearsals.questionnaire, rehearsals.answer,
        draftImports.create,
        drafts.create, drafts.get, drafts.start, drafts.delete, drafts.outline, drafts.downloadDraft,
        drafts.upload,
        drafts.getFile, drafts.putFile, drafts.deleteFile, drafts.putValues, drafts.downloadVersion,
        draftCollections.list, draftCollections.get, draftCollections.replace, draftCollections.putItem,
        draftCollections.deleteItem,
        draftProgrammes.get, draftProgrammes.put,
        draftPractices.get, draftPractices.put, draftPractices.delete,
        draftVersions.get, draftVersions.create,
        versions.list, versions.preview, differences.ofVersion, differences.ofDraft,
        publications.preview, publications.create, publications.move, draftLibrary.take, draftLibrary.restore,
        exports.create, exports.list, exports.get, exports.delete, exports.file, changes.list,
        rescorings.list, rescorings.get,
        apiTokens.create, apiTokens.list, apiTokens.delete,
        enrolmentCodes.create, enrolmentCodes.list, enrolmentCodes.delete,
        beacons.create,
    ]
}
