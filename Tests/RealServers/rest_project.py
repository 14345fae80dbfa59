"""Tasks, served by Django REST framework: a project in one file."""

import os

import django
from django.conf import settings
from django.urls import include, path

settings.configure(
    SECRET_KEY="trial", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["REST_DATA"]}},
    REST_FRAMEWORK={
        "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination", "PAGE_SIZE": 20,
        "DEFAULT_AUTHENTICATION_CLASSES": [], "DEFAULT_PERMISSION_CLASSES": [], "UNAUTHENTICATED_USER": None,
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    })
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from rest_framework import routers, serializers, viewsets  # noqa: E402


class Task(models.Model):
    title = models.CharField(max_length=60)
    state = models.CharField(max_length=10, choices=[("open", "Open"), ("done", "Done")], default="open")
    due = models.DateField(null=True)
    price = models.DecimalField(max_digits=8, decimal_places=2, default=0)

    class Meta:
        app_label, ordering = "shop", ["id"]


class TaskSerializer(serializers.ModelSerializer):
    class Meta:
        model, fields = Task, ["id", "title", "state", "due", "price"]


class TaskViewSet(viewsets.ModelViewSet):
    queryset, serializer_class = Task.objects.all(), TaskSerializer


if "shop_task" not in connection.introspection.table_names():
    with connection.schema_editor() as editor:
        editor.create_model(Task)
    Task.objects.bulk_create(
        Task(title=f"Task {n}", state="open" if n % 3 else "done", due=f"2026-12-{n % 28 + 1:02}", price=n + 0.5)
        for n in range(1, 71))
router = routers.DefaultRouter()
router.register("tasks", TaskViewSet)
urlpatterns = [path("api/", include(router.urls))]
application = get_wsgi_application()
