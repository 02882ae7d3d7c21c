"""Django's settings. All that varies comes from the environment, by way of `kbpo.environment`."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from kbpo import environment
from kbpo.core.errors import InvalidInput

ROOT = Path(__file__).resolve().parent.parent

try:
    _given = environment.read(os.environ)
    SECRET_KEY = _given.secret_key or environment.kept_secret(_given.home)
except InvalidInput as error:
    raise ImproperlyConfigured(str(error)) from error

DEVELOPMENT = _given.debug
DEBUG = _given.tracebacks
KBPO_HOME = _given.home
KBPO_EPOCH_SECRET = _given.epoch_secret
KBPO_JUDGEMENTS_LICENCE = "CC BY 4.0"  # of what archives of released epochs hold beside texts
TEAMS_NEED_APPROVAL = _given.teams_need_approval
READ_ONLY = _given.read_only
SEND_WEBHOOKS = _given.send_webhooks
KBPO_NUDGE = True  # whether commits send messages to the workers

SITE_URL = _given.site_url
ALLOWED_HOSTS = list(_given.allowed_hosts)
if _given.hit_base_url:
    ALLOWED_HOSTS.append(urlsplit(_given.hit_base_url).hostname or "")
CSRF_TRUSTED_ORIGINS = [SITE_URL]
ROOT_URLCONF = "kbpo.urls"
WSGI_APPLICATION = "kbpo.wsgi.application"

INSTALLED_APPS = [
    "kbpo",
    "kbpo.core",
    "kbpo.core.keeping",
    "kbpo.core.health",
    "kbpo.accounts",
    "kbpo.webhooks",
    "annotations",
    "crowd",
    "marketplace",
    "evaluation",
    "kbpo.pages",
    "rest_framework",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "kbpo.core.admin_config.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
]

MIDDLEWARE = [
    "kbpo.core.health.probes.probes",
    "kbpo.core.health.requests.log_requests",
    "kbpo.middleware.forwarded_scheme",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "kbpo.middleware.content_security_policy",
    "kbpo.middleware.private_unless_said",
    "kbpo.middleware.hit_origin",
    "kbpo.middleware.read_only",
    "django.middleware.http.ConditionalGetMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "kbpo.accounts.login_throttling.known_browser",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "kbpo.core.refusals.RefusalMiddleware",
    "kbpo.middleware.PlainText",
    "kbpo.core.rate_limits.RateLimitMiddleware",
    "kbpo.accounts.factors.FactorFirst",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "kbpo.pages.site.site",
            ],
        },
    }
]

# The crowd

HIT_BASE_URL = _given.hit_base_url  # empty: no work is posted
MTURK_ENDPOINT_URL = _given.mturk_endpoint_url
MTURK_IS_BUILT_IN = _given.mturk_is_built_in
MTURK_KEYS = _given.mturk_keys
MTURK_UNSIGNED_ARRIVALS = _given.mturk_unsigned_arrivals
MTURK_SERVICE_MODELS = ROOT / "marketplace" / "protocol" / "service_model"
PROLIFIC_API_URL = _given.prolific_api_url
PROLIFIC_TOKEN = _given.prolific_token
PROLIFIC_PROJECT = _given.prolific_project
PROLIFIC_WEBHOOK_SECRET = _given.prolific_webhook_secret
PROLIFIC_FEE_PERCENT = _given.prolific_fee_percent
PROLIFIC_HITS_PER_WORKER = _given.prolific_hits_per_worker
WIKIPEDIA_API_URL = _given.wikipedia_api_url
CROWD_HOURLY_CENTS = _given.crowd_hourly_cents
CROWD_FASTEST_READING = _given.crowd_fastest_reading
CROWD_MOST_PERCENT = _given.crowd_most_percent

# Data

EMBEDDED_DATABASE = _given.database is None
DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        **(
            _given.database
            or {
                "ENGINE": "kbpo.core.embedded.backend",
                "NAME": "kbpo",
                "USER": "kbpo",
                "PORT": "5432",
                "KBPO_HOME": KBPO_HOME,
                "DURABLE": True,  # what was committed survives a power cut
            }
        ),
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
MEDIA_ROOT = KBPO_HOME / "media"
FILE_STORE = _given.store  # None: folders of this machine
TEXTS_CACHE = _given.texts_cache_gb * 10**9  # bytes
FILE_UPLOAD_HANDLERS = [
    "kbpo.core.uploading.BoundedUpload",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
REDIS_URL = _given.redis_url  # empty: the embedded one
if not DEVELOPMENT:
    # Shared by all web processes while Redis is there.
    CACHES = {
        "default": {
            "BACKEND": "kbpo.core.cache.ForgivingCache",
            "LOCATION": REDIS_URL.replace("redis+socket://", "unix://"),
            "KEY_PREFIX": "cache",  # the broker's keys are in the same database
        }
    }

# People

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True  # in the browser that signed up, and in no other
ACCOUNT_SIGNUP_REDIRECT_URL = "upload"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_ADAPTER = "kbpo.accounts.adapter.AccountAdapter"
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False  # kbpo.core.rate_limits counts in the database
ACCOUNT_EMAIL_NOTIFICATIONS = True  # of what happens to passwords and factors, whose they are is told
ACCOUNT_DEFAULT_HTTP_PROTOCOL = SITE_URL.split(":", 1)[0]
ACCOUNT_FORMS = {
    "login": "kbpo.accounts.account_forms.LoginForm",
    "signup": "kbpo.accounts.account_forms.SignupForm",
    "add_email": "kbpo.accounts.account_forms.AddEmailForm",
    "change_password": "kbpo.accounts.account_forms.ChangePasswordForm",
    "set_password": "kbpo.accounts.account_forms.SetPasswordForm",
    "reset_password": "kbpo.accounts.account_forms.ResetPasswordForm",
    "reset_password_from_key": "kbpo.accounts.account_forms.ResetPasswordKeyForm",
    "reauthenticate": "kbpo.accounts.account_forms.ReauthenticateForm",
}
SOCIALACCOUNT_FORMS = {"signup": "kbpo.accounts.account_forms.OrganisationSignupForm"}
OPERATORS_NEED_FACTORS = not DEVELOPMENT
MFA_ADAPTER = "kbpo.accounts.adapter.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = DEVELOPMENT  # http://localhost, which browsers take for safe
MFA_TOTP_ISSUER = "KBP Online"
MFA_TOTP_TOLERANCE = 1  # clocks differ by half a minute (RFC 6238, 5.2)
MFA_FORMS = {
    "authenticate": "kbpo.accounts.forms.CodeForm",
    "reauthenticate": "kbpo.accounts.forms.CodeAgainForm",
    "activate_totp": "kbpo.accounts.account_forms.ActivateAppForm",
    "add_webauthn": "kbpo.accounts.forms.PasskeyForm",
    "login_webauthn": "kbpo.accounts.forms.PasskeyLoginForm",
    "authenticate_webauthn": "kbpo.accounts.forms.PasskeyFactorForm",
    "reauthenticate_webauthn": "kbpo.accounts.forms.PasskeyAgainForm",
}
SOCIALACCOUNT_ADAPTER = "kbpo.accounts.organisations.OrganisationAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_EMAIL_VERIFICATION = "mandatory"
SOCIALACCOUNT_REAUTHENTICATION_REQUIRED = True  # before an account is connected, or let go
SOCIALACCOUNT_REQUESTS_TIMEOUT = 5  # seconds
if _given.oidc_server_url:
    SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": "organisation",
                    "name": _given.oidc_name,
                    "client_id": _given.oidc_client_id,
                    "secret": _given.oidc_client_secret,
                    "settings": {"server_url": _given.oidc_server_url},
                }
            ],
        }
    }

# How long things about people are kept (/privacy/ says so)

SESSION_COOKIE_AGE = _given.keep_sessions_days * 24 * 3600
KEEP_MAIL = timedelta(days=_given.keep_mail_days)
KEEP_UPLOADS = timedelta(days=_given.keep_uploads_days)
KEEP_LOGS = timedelta(days=_given.keep_logs_days)

# Mail: an outbox, which the pipeline sends; in development to files that a person or a test can open

DEFAULT_FROM_EMAIL = SERVER_EMAIL = _given.from_email
CONTACT_EMAIL = _given.contact_email
EMAIL_BACKEND = "kbpo.core.mail.outbox.Outbox"
MAIL_TRANSPORT = (
    "kbpo.core.mail.files.FileBackend" if DEVELOPMENT else "django.core.mail.backends.smtp.EmailBackend"
)
EMAIL_FILE_PATH = KBPO_HOME / "mail"
EMAIL_TIMEOUT = 20  # seconds, of each step
HAS_MAIL_SERVER = bool(_given.email)
globals().update(_given.email)

# Pages

LANGUAGE_CODE = "en-gb"
USE_I18N = False  # pages are in English alone
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"
STATICFILES_DIRS = [ROOT / "static"]
STATIC_ROOT = ROOT / "staticfiles"
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEVELOPMENT
STORAGES = {
    "default": {"BACKEND": "kbpo.core.files.StoredFiles"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEVELOPMENT
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
REST_FRAMEWORK = {
    "EXCEPTION_HANDLER": "kbpo.core.refusals.api_exception_handler",
    "DEFAULT_PARSER_CLASSES": ["kbpo.core.parsers.JsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "kbpo.api.schema.Description",
    "URL_FORMAT_OVERRIDE": None,  # `format` behind the question mark is nothing here
    # Every view of the API is an `ApiView`, which says who may ask; no other is open by mistake.
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
}
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "KBP Online",
    "DESCRIPTION": "What people do on the site's pages, for programs.",
    "VERSION": "1",
    "LICENSE": {"name": "MIT"},
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SORT_OPERATIONS": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [],
    "DISABLE_ERRORS_AND_WARNINGS": False,
}

# Safety

TRUSTED_PROXIES = _given.trusted_proxies
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
if not DEVELOPMENT:
    SECURE_SSL_REDIRECT = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    # An hour can be waited for; subdomains and browsers' own lists are for who owns the whole domain to say.
    SECURE_HSTS_SECONDS = _given.hsts_seconds
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"about": {"()": "kbpo.core.health.logs.AboutFilter"}},
    "formatters": {
        "json": {"()": "kbpo.core.health.logs.JsonLine"},
        "lines": {
            "()": "kbpo.core.health.logs.Line",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
            "datefmt": "%Y-%m-%dT%H:%M:%S%z",
        },
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": _given.log_format, "filters": ["about"]}
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        # The server of a development machine writes lines of its own.
        "kbpo.requests": {"level": "WARNING" if DEVELOPMENT else "INFO"},
        **{
            name: {"handlers": ["stderr"], "level": "INFO", "propagate": False}
            for name in ("kbpo", "annotations", "crowd", "evaluation", "marketplace")
        },
    },
}
