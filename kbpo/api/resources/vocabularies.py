"""Ontologies and lists of classes: what a system's file may say."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.models import ClassList, OntologyVersion
from annotations.ontologies import find_under
from kbpo.api.base import ApiView, answer
from kbpo.api.paging import PageQuery, answer_page, cut, page_serializer, read_cursor, read_query
from kbpo_formats.ontologies.ontology import TYPE_KINDS

MOST_VERSIONS = 1_000_000


class OntologySerializer(serializers.ModelSerializer[OntologyVersion]):
    """A version of an ontology, which never changes."""

    class Meta:
        model = OntologyVersion
        fields = ("reference", "name", "version", "digest", "loaded_at")


class TypeSerializer(serializers.Serializer[Any]):
    """A type that a mention may have."""

    name = serializers.CharField()
    word = serializers.CharField(help_text="For people.")
    kind = serializers.ChoiceField(choices=TYPE_KINDS)
    guideline = serializers.CharField(help_text="What is marked as such; empty where nobody is asked.")


class RelationSerializer(serializers.Serializer[Any]):
    """A relation as it is stored, asked and scored."""

    name = serializers.CharField()
    subject_type = serializers.CharField()
    object_types = serializers.ListField(child=serializers.CharField())
    label = serializers.CharField()  # type: ignore[assignment]
    statement = serializers.CharField(help_text="In plain words, with {subject} and {object}.")
    guideline = serializers.CharField(help_text="When it holds.")
    is_symmetric = serializers.BooleanField()
    is_single_valued = serializers.BooleanField()


class PredicateSerializer(serializers.Serializer[Any]):
    """A name by which files state a relation."""

    name = serializers.CharField()
    subject_type = serializers.CharField()
    object_types = serializers.ListField(child=serializers.CharField())
    turn = serializers.CharField(help_text="no, swap or symmetric: whether subject and object change places.")


class WholeOntologySerializer(serializers.Serializer[Any]):
    """A version of an ontology, with its types, relations and predicates."""

    reference = serializers.CharField(help_text="As in tac-kbp@1.")
    name = serializers.CharField()
    version = serializers.IntegerField()
    title = serializers.CharField(help_text="For people.")
    source = serializers.CharField(  # type: ignore[assignment]
        help_text="Where it comes from, and under which licence; may be empty."
    )
    types = TypeSerializer(many=True)
    relations = RelationSerializer(many=True)
    predicates = PredicateSerializer(many=True)


class ClassSerializer(serializers.Serializer[Any]):
    """A class."""

    name = serializers.CharField()
    guideline = serializers.CharField()


class ClassListSerializer(serializers.ModelSerializer[ClassList]):
    """A version of a list of classes, which never changes."""

    classes = serializers.SerializerMethodField()

    class Meta:
        model = ClassList
        fields = ("name", "version", "digest", "cannot_tell", "classes")

    @extend_schema_field(ClassSerializer(many=True))
    def get_classes(self, found: ClassList) -> list[dict[str, str]]:
        """Return its classes, in order."""
        return [{"name": name, "guideline": guideline} for name, guideline in found.classes]


class OntologiesView(ApiView):
    """The ontologies."""

    is_public = True

    @extend_schema(
        operation_id="list_ontologies",
        parameters=[PageQuery],
        responses=page_serializer(OntologySerializer),
    )
    def get(self, request: Request) -> Response:
        """List all versions of all ontologies."""
        asked = read_query(PageQuery, request)
        found = OntologyVersion.objects.defer("content").order_by("name", "version")
        start = (read_cursor(asked) or (0,))[0]
        rows = list(found[start : start + asked["limit"] + 1]) if start <= MOST_VERSIONS else []
        places = {row.pk: place for place, row in enumerate(rows, start + 1)}
        page = cut(rows, request, asked, lambda row: (places[row.pk],))
        return answer(page_serializer(OntologySerializer)(page))


class OntologyView(ApiView):
    """A version of an ontology."""

    is_public = True

    @extend_schema(operation_id="read_ontology", responses=WholeOntologySerializer)
    def get(self, request: Request, reference: str) -> Response:
        """Return a version of an ontology with all that it says; a corpus may have guidelines of its own."""
        get_object_or_404(OntologyVersion.objects.defer("content"), pk=reference)
        return answer(WholeOntologySerializer(find_under(reference, None)))


class ClassListsView(ApiView):
    """The lists of classes."""

    is_public = True

    @extend_schema(
        operation_id="list_class_lists",
        parameters=[PageQuery],
        responses=page_serializer(ClassListSerializer),
    )
    def get(self, request: Request) -> Response:
        """List all versions of all lists of classes."""
        return answer_page(ClassListSerializer, ClassList.objects.all(), request)


class ClassListView(ApiView):
    """A version of a list of classes."""

    is_public = True

    @extend_schema(operation_id="read_class_list", responses=ClassListSerializer)
    def get(self, request: Request, name: str, version: int) -> Response:
        """Return a version of a list of classes."""
        return answer(ClassListSerializer(get_object_or_404(ClassList, name=name, version=version)))
