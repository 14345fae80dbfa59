# What the trial finds in Redmine: a project with 60 issues, and an administrator whose key is known.
require "./config/environment"
Setting.rest_api_enabled = "1"
admin = User.find_by_login("admin")
admin.must_change_passwd = false
admin.save!
project = Project.create!(name: "Shop", identifier: "shop", is_public: true, trackers: Tracker.all)
Token.find_or_create_by!(user: admin, action: "api").update_column(:value, "a" * 40)
60.times do |number|
  Issue.create!(project: project, tracker: Tracker.first, author: admin, subject: "Issue #{number + 1}",
                priority: IssuePriority.first, status: IssueStatus.first)
end
