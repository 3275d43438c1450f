{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE TypeOperators #-}
-- Nothing here is worth copying into the modules of users.
{-# OPTIONS_GHC -fomit-interface-pragmas #-}

-- |
-- Module      : Ashlar.Schema.Internal.Describe
-- Description : The class of types with a schema
--
-- Note [Visiting types]
-- ~~~~~~~~~~~~~~~~~~~~~
-- A description is an action on a table of the definitions so far. A type that is visited again
-- becomes a reference, so recursion ends. But a type with polymorphic recursion is another type at
-- each visit. So a type is cut off if it is inside of three types that have the same type
-- constructor and are embedded in it, which means that leaving out parts of it makes each of them.
-- By Kruskal's theorem every infinite path has such types. Without polymorphic recursion they are
-- rare. Enough is described for a change to the definition to change the schema.
module Ashlar.Schema.Internal.Describe
  ( Described (..),
    Describe,
    plainly,
    shaped,
    shapedVia,
    shapedInside,
    neverPacked,
    describing,
    orderedByParts,
    typeName,

    -- * Results
    Description (..),
    described,
    describedAs,
    pruned,

    -- * Definitions
    Parts (..),
    Case (..),
    Part (..),
    definition,
    libraryDescription,

    -- * What is said of evolution
    Change (..),
    Edit (..),

    -- * Generic types
    GDescribed (..),
    derivedDescription,
  )
where

import Ashlar.Codec (Codec)
import Ashlar.Internal.Codec.Places (OwnFields (..))
import Ashlar.Schema.Internal.Edit
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import qualified Data.IntMap.Strict as IM
import Data.Kind (Type)
import qualified Data.Map.Strict as M
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import qualified Data.Text as T
import Data.Typeable
  ( TypeRep,
    Typeable,
    tyConName,
    typeRep,
    typeRepArgs,
    typeRepTyCon,
  )
import qualified Data.Vector as V
import GHC.Generics
import GHC.TypeLits (KnownSymbol, symbolVal)

-- | Types whose format has a description as a value.
--
-- Derive it beside 'Codec', with 'GHC.Generics.Generic':
--
-- >>> :set -XDeriveAnyClass -XDeriveGeneric
-- >>> :{
-- data Order = Order { number :: Int, note :: Maybe Text }
--   deriving (Generic, Codec, Described)
-- :}
--
-- >>> import qualified Data.Text.IO as T
-- >>> T.putStr (describeSchema (schema @Order))
-- Order
-- <BLANKLINE>
-- data Order = Order { number :: Int64, note :: Maybe Text }
--
-- The derived description is that of the derived format. So a type whose 'Codec' is derived @via@
-- another type derives this class via it, too, or writes a 'describe' of its own. So does a type
-- that has a 'Ashlar.Codec.format' of its own, unless that only refines the derived one. Otherwise
-- the schema calls 'error' when it is used. (Of a newtype some bytes are tried. They may not show
-- the difference. @describedLaws@ of @Ashlar.Schema.Laws@ tests values.)
--
-- A standalone instance of a type whose parameter is a type constructor needs 'Typeable' of it:
-- @deriving anyclass instance (Typeable f, Described (f Int)) => Described (Item f)@.
--
-- >>> :set -XDerivingVia -XStandaloneDeriving
-- >>> import Ashlar.Codec.Wrappers (BigEndian (..))
-- >>> newtype Port = Port Word16 deriving (Codec, Described) via (BigEndian Word16)
class (Typeable a, Codec a) => Described a where
  -- | The description of the format.
  describe :: Describe a
  default describe :: (Generic a, GDescribed (Rep a)) => Describe a
  describe = onlyIf (gIsFormatOf @(Rep a) (from :: a -> Rep a ())) derivedDescription

  -- | How the type differs from what it was, for reading values of older versions.
  evolution :: [Change a]
  evolution = []

-- | The description of the format of a type.
newtype Describe a = Describe (ValueOrder -> Build Shape)

-- An action on the table.
newtype Build x = Build (Table -> (x, Table))

instance Functor Build where
  fmap f (Build b) = Build $ \t -> case b t of (x, t') -> (f x, t')

instance Applicative Build where
  pure x = Build (\t -> (x, t))
  Build f <*> Build b = Build $ \t -> case f t of
    (g, t') -> case b t' of (x, t'') -> (g x, t'')

data Table = Table
  { -- The types that have been visited, and their numbers.
    tableSeen :: !(M.Map TypeRep Int),
    tableDone :: !(IM.IntMap (Definition, [Edit])),
    -- The types around the one that is being visited.
    tablePath :: [TypeRep],
    -- Of the innermost of them: the types whose wrappers are being visited ('shapedVia').
    tableVia :: [TypeRep],
    -- Is any part of the whole type packed?
    tablePacks :: Bool
  }

-- | The description of a type. Computed anew at each use: keep it where it is used often.
described :: forall a. Described a => Description
described = describedAs (describe @a)

-- | The result of a description.
describedAs :: Describe a -> Description
describedAs (Describe f)
  | packsAny plain = visited True
  | otherwise = plain
  where
    plain = visited False
    visited packs = case b (Table M.empty IM.empty [] [] packs) of
      (root, t) -> pruned root (tableDone t)
    Build b = f Unordered
    packsAny (Description s _) =
      any isPacked (schemaRoot s : concatMap fieldShapes (schemaDefinitions s))
    isPacked shape = case shape of
      Packed _ -> True
      _ -> any isPacked (shapesIn shape)

-- | The definitions that the root refers to, in the order of the first visit.
pruned :: Shape -> IM.IntMap (Definition, [Edit]) -> Description
pruned root done =
  Description
    (Schema (moved root) (V.fromList (map (overShapes moved . fst) found)))
    (V.fromList (map snd found))
  where
    found = map (done IM.!) order
    order = reverse (visit [] IM.empty [root])
    numbers = IM.fromList (zip order [0 ..])
    moved shape = case shape of
      Reference i -> Reference (numbers IM.! i)
      _ -> mapShapes moved shape
    visit :: [Int] -> IM.IntMap () -> [Shape] -> [Int]
    visit is seen shapes = case shapes of
      [] -> is
      Reference i : rest
        | IM.member i seen -> visit is seen rest
        | otherwise ->
          visit (i : is) (IM.insert i () seen) (fieldShapes (fst (done IM.! i)) ++ rest)
      shape : rest -> visit is seen (shapesIn shape ++ rest)

-- | A description that is only a shape, without definitions.
plainly :: Shape -> Describe a
plainly s = Describe (\_ -> pure s)

-- | A description with another shape, made from its own.
shaped :: (Shape -> Shape) -> Describe a -> Describe b
shaped f (Describe b) = Describe (\_ -> f <$> b Unordered)

-- | 'shaped' of a type's description, for a wrapper of the type. If the type derives its
-- description via that wrapper, each asks the other: an 'error'.
shapedVia :: forall a b. Described a => (Shape -> Shape) -> Describe b
shapedVia f = Describe $ \_ -> Build $ \t ->
  if rep `elem` tableVia t
    then errorWithoutStackTrace ("Ashlar.Schema: the description of " ++ name ++ advice)
    else case run t {tableVia = rep : tableVia t} of
      (shape, t') -> (f shape, t' {tableVia = tableVia t})
  where
    rep = typeRep (Proxy :: Proxy a)
    name = T.unpack (typeName rep)
    Describe b = describe @a
    Build run = b Unordered
    advice =
      " is derived via a wrapper of the type, which asks for it. Define describe: as packed \
      \derivedDescription if Codec is derived via Packed, or as opaque "
        ++ show name
        ++ " 1, which serves any format."

-- | 'shaped', for a function that is given the shape without the newtypes around it.
shapedInside :: (Shape -> Shape) -> Describe a -> Describe b
shapedInside f (Describe b) = Describe $ \_ -> case b Unordered of
  Build run -> Build $ \t -> case run t of
    (shape, t') -> (f (inside (tableDone t') shape), t')
  where
    inside done shape = case shape of
      Reference i
        | Just (Definition _ Newtype _ [Constructor _ _ [Field _ inner]], _) <- IM.lookup i done ->
          -- (Deleted, so that a recursive newtype ends.)
          inside (IM.delete i done) inner
      _ -> shape

-- | A description of a number that has the same bytes in a packed value. Where nothing is packed,
-- it is the description itself, so its fingerprint is that of the plain number.
neverPacked :: Describe a -> Describe a
neverPacked (Describe b) = Describe $ \_ -> case b Unordered of
  Build run -> Build $ \t -> case run t of
    (Leaf l, t') | tablePacks t', packedLeaf l /= l -> (Unpacked (Leaf l), t')
    result -> result

-- | State that the 'Ord' instance of the type is as if it were derived: by constructor, then by the
-- fields from left to right. Then a decoder by schema checks the order of keys of this type. It has
-- no effect on a description without a definition.
--
-- > instance Described Suit where describe = orderedByParts derivedDescription
orderedByParts :: Describe a -> Describe a
orderedByParts (Describe b) = Describe (\_ -> b ByParts)

-- | A shape made from those of its parts, which are visited from left to right.
describing :: ([Shape] -> Shape) -> [Part] -> Describe a
describing f parts = Describe (\_ -> f <$> traverse (\(Part _ (Describe b)) -> b Unordered) parts)

-- | A named part: a field, or an element of a shape. Elements need no name.
data Part = Part Text (Describe ())

-- | A constructor: its name, whether it is retired, and its fields. The name of a field without one
-- is empty.
data Case = Case Text Bool [Part]

-- | A definition: its name, its form, and its constructors.
data Parts = Parts Text Form [Case]

-- | A definition of its own for the type. Its names may differ from those of Haskell's fields and
-- constructors, so a mismatch does not advise to write an evolution with them.
definition :: forall a. Described a => Parts -> Describe a
definition = definitionSaying @a [NotEditable]

definitionSaying :: forall a. Described a => [Edit] -> Parts -> Describe a
definitionSaying more parts = Describe (define (typeRep (Proxy :: Proxy a)) edits parts)
  where
    edits = more ++ [e | Change e <- evolution @a]
{-# NOINLINE definitionSaying #-}

define :: TypeRep -> [Edit] -> Parts -> ValueOrder -> Build Shape
define rep edits (Parts name form cases) order = Build $ \t -> case M.lookup rep (tableSeen t) of
  Just i -> (Reference i, t)
  Nothing
    | isEndless rep (tablePath t) -> (Irregular (typeName rep), t)
    | otherwise ->
      let i = M.size (tableSeen t)
          outer = tablePath t
          Build b = traverse constructor (uniqueOn caseName renameCase cases)
          seen = M.insert rep i (tableSeen t)
          inner = t {tableSeen = seen, tablePath = rep : outer, tableVia = []}
       in case b inner of
            (constructors, t') ->
              ( Reference i,
                t'
                  { tableDone =
                      IM.insert i (Definition name form order constructors, edits) (tableDone t'),
                    tablePath = outer,
                    tableVia = tableVia t
                  }
              )
  where
    constructor (Case con gone parts) =
      Constructor con gone <$> traverse field (uniqueOn partName renamePart (numbered parts))
    field (Part n (Describe b)) = Field n <$> b Unordered
    numbered parts =
      [ Part (if T.null n then T.pack (show i) else n) b
        | (i, Part n b) <- zip [1 :: Int ..] parts
      ]
    caseName (Case n _ _) = n
    renameCase n (Case _ gone parts) = Case n gone parts
    partName (Part n _) = n
    renamePart n (Part _ b) = Part n b

-- Formats by hand may give a name twice. The second one gets a prime.
uniqueOn :: (x -> Text) -> (Text -> x -> x) -> [x] -> [x]
uniqueOn nameIn rename = go M.empty
  where
    go _ [] = []
    go seen (x : xs)
      | M.member (nameIn x) seen = go seen (rename (T.snoc (nameIn x) '\'') x : xs)
      | otherwise = x : go (M.insert (nameIn x) () seen) xs

-- Is it an instance of a type with polymorphic recursion, and as deep as we go? See
-- Note [Visiting types].
isEndless :: TypeRep -> [TypeRep] -> Bool
isEndless rep path =
  length (take 3 [r | r <- path, typeRepTyCon r == typeRepTyCon rep, embedded r rep]) == 3

embedded :: TypeRep -> TypeRep -> Bool
embedded r s = coupled || any (embedded r) (typeRepArgs s)
  where
    coupled =
      typeRepTyCon r == typeRepTyCon s
        && length (typeRepArgs r) == length (typeRepArgs s)
        && and (zipWith embedded (typeRepArgs r) (typeRepArgs s))

-- | A type without modules, by names that do not depend on the compiler.
typeName :: TypeRep -> Text
typeName rep = case typeRepArgs rep of
  [] -> name
  args -> T.unwords (name : map inner args)
  where
    inner r = if null (typeRepArgs r) then typeName r else T.concat ["(", typeName r, ")"]
    name = case tyConName (typeRepTyCon rep) of
      "[]" -> "List"
      "()" -> "Unit"
      '(' : commas -> T.pack ("Tuple" ++ show (length commas))
      n -> T.pack n

-- | The description of the derived format: the default of 'describe'.
derivedDescription :: forall a. (Described a, GDescribed (Rep a)) => Describe a
derivedDescription = definitionSaying @a [] (gParts @(Rep a))

-- | 'derivedDescription' for a type whose instance is one of this library, so no user can write its
-- evolution.
libraryDescription :: forall a. (Described a, GDescribed (Rep a)) => Describe a
libraryDescription = definition (gParts @(Rep a))

-- The description, or an error where it would be wrong.
onlyIf :: forall a. Typeable a => Bool -> Describe a -> Describe a
onlyIf isRight (Describe b)
  | isRight = Describe b
  | otherwise =
    Describe . const . errorWithoutStackTrace $
      concat
        [ "Ashlar.Schema: the Codec of " ++ T.unpack name ++ " is not derived from its fields. ",
          "Derive Described via the same type as Codec, or define describe: as opaque ",
          show name ++ " 1, which serves any format, or as derivedDescription if the bytes are ",
          "those of the fields."
        ]
  where
    name = typeName (typeRep (Proxy :: Proxy a))
{-# NOINLINE onlyIf #-}

-- | The parts of a type with a generic representation.
class GDescribed (f :: Type -> Type) where
  gParts :: Parts

  -- | Is it the format of the fields? Given the conversion of a value.
  gIsFormatOf :: Codec a => (a -> f ()) -> Bool

instance (KnownSymbol name, GCases f) => GDescribed (D1 ('MetaData name m p 'False) f) where
  gParts = partsOf (symbolVal (Proxy :: Proxy name)) False (gCases @f [])
  gIsFormatOf conversion = null (gCases @f []) || areOwn conversion

instance
  (KnownSymbol name, GCases (C1 c (S1 s (K1 i t))), Codec t) =>
  GDescribed (D1 ('MetaData name m p 'True) (C1 c (S1 s (K1 i t))))
  where
  gParts = partsOf (symbolVal (Proxy :: Proxy name)) True (gCases @(C1 c (S1 s (K1 i t))) [])
  gIsFormatOf = areOwn

partsOf :: String -> Bool -> [Case] -> Parts
partsOf name new cases = Parts (T.pack name) form cases
  where
    form = case cases of
      [_] -> if new then Newtype else Record
      _ -> Sum
{-# NOINLINE partsOf #-}

-- Put the constructors before others.
class GCases (f :: Type -> Type) where
  gCases :: [Case] -> [Case]

instance GCases V1 where
  gCases rest = rest

instance (GCases f, GCases g) => GCases (f :+: g) where
  gCases rest = gCases @f (gCases @g rest)

instance (KnownSymbol name, GFields f) => GCases (C1 ('MetaCons name x r) f) where
  gCases = caseOf (symbolVal (Proxy :: Proxy name)) (gFields @f [])

caseOf :: String -> [Part] -> [Case] -> [Case]
caseOf name parts rest = Case (T.pack name) False parts : rest
{-# NOINLINE caseOf #-}

-- Put the fields before others.
class GFields (f :: Type -> Type) where
  gFields :: [Part] -> [Part]

instance GFields U1 where
  gFields rest = rest

instance (GFields f, GFields g) => GFields (f :*: g) where
  gFields rest = gFields @f (gFields @g rest)

-- Two instances, and not one with a class of names: each dictionary costs the compiler some work.
instance
  (KnownSymbol name, Described t) =>
  GFields (S1 ('MetaSel ('Just name) u s l) (K1 i t))
  where
  gFields = fieldOf (symbolVal (Proxy :: Proxy name)) (describe @t)

instance Described t => GFields (S1 ('MetaSel 'Nothing u s l) (K1 i t)) where
  gFields = fieldOf "" (describe @t)

fieldOf :: String -> Describe t -> [Part] -> [Part]
fieldOf name b rest = Part (T.pack name) (shaped id b) : rest
{-# NOINLINE fieldOf #-}
