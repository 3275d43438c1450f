{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Derived
-- Description : Types of every shape, with derived instances
module Tests.Derived
  ( Record (..),
    AllFixed (..),
    Shape (..),
    Colour (..),
    Tree (..),
    Rose (..),
    Pair (..),
    Wrapper (..),
    Unit (..),
    Big (..),
    bigs,
    Never,
    Perfect (..),
    Towers (..),
    Inside (..),
    Around (..),
    Wrapped (..),
    Doubled (..),
    Eight (..),
    Twice (..),
    Nested (..),
  )
where

import Ashlar.Codec (Codec)
import Data.Functor.Identity (Identity)
import Data.Functor.Product (Product)
import Data.Int (Int32, Int64)
import Data.Map (Map)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word16, Word64, Word8)
import GHC.Generics (Generic)
import Test.QuickCheck

-- | Fields of fixed and of variable size, strict and lazy.
data Record = Record
  { first :: !Int32,
    second :: Word8,
    name :: Text,
    flag :: !Bool,
    marks :: [Word16],
    table :: !(Map Int Text),
    last' :: Double
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary Record where
  arbitrary = Record <$> arbitrary <*> arbitrary <*> text <*> arbitrary <*> few arbitrary <*> scale (`div` 4) (fmap (fmap T.pack) arbitrary) <*> arbitrary

text :: Gen Text
text = T.pack <$> few arbitrary

few :: Gen a -> Gen [a]
few g = choose (0, 5) >>= \n -> vectorOf n g

-- | All fields of fixed size, and so the whole.
data AllFixed = AllFixed !Int64 Word8 !Double (Bool, Colour)
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary AllFixed where
  arbitrary = AllFixed <$> arbitrary <*> arbitrary <*> arbitrary <*> arbitrary

-- | Several constructors with different fields.
data Shape
  = Point
  | Circle !Double
  | Polygon [(Double, Double)]
  | Named Text Shape
  | Both Shape Shape
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary Shape where
  arbitrary = sized go
    where
      go n
        | n <= 1 = oneof [pure Point, Circle <$> arbitrary, Polygon <$> few arbitrary]
        | otherwise = oneof [go 1, Named <$> text <*> go (n `div` 2), Both <$> go (n `div` 2) <*> go (n `div` 2)]

-- | An enumeration.
data Colour = Red | Green | Blue
  deriving stock (Eq, Ord, Show, Enum, Bounded, Generic)
  deriving anyclass (Codec)

instance Arbitrary Colour where
  arbitrary = arbitraryBoundedEnum

-- | Recursive.
data Tree a = Leaf | Node (Tree a) a (Tree a)
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary a => Arbitrary (Tree a) where
  arbitrary = sized go
    where
      go n
        | n <= 1 = pure Leaf
        | otherwise = frequency [(1, pure Leaf), (3, Node <$> go (n `div` 2) <*> arbitrary <*> go (n `div` 2))]

-- | Recursive through a list.
data Rose a = Rose a [Rose a]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary a => Arbitrary (Rose a) where
  arbitrary = sized go
    where
      go n = Rose <$> arbitrary <*> (choose (0, min 4 n) >>= \k -> vectorOf k (go (n `div` 4)))

-- | With a parameter.
data Pair a = Pair a a
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary a => Arbitrary (Pair a) where
  arbitrary = Pair <$> arbitrary <*> arbitrary

-- | A newtype.
newtype Wrapper = Wrapper Text
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary Wrapper where
  arbitrary = Wrapper <$> text

-- | One constructor without fields: no bytes.
data Unit = Unit
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary Unit where
  arbitrary = pure Unit

-- | No constructors.
data Never
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Show Never where
  showsPrec _ x = x `seq` id

instance Eq Never where
  x == _ = x `seq` True

-- | Of a format that doubles at each level.
data Perfect a = Zero a | Succ (Perfect (a, a))
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | Of formats that grow by the factor of eight at each level, and stand side by side.
data Towers a
  = Nine a a a a a a a a a String
  | Sixteen a a a a a a a a a a a a a a a a Word64 Word64 Word64 String
  | Higher (Towers (a, a, a, a, a, a, a, a))
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | Vectors of vectors of vectors.
newtype Nested = Nested (V.Vector Nested)
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | More constructors than one byte can tell apart.
data Big
  = Big0
  | Big1
  | Big2
  | Big3
  | Big4
  | Big5
  | Big6
  | Big7
  | Big8
  | Big9
  | Big10
  | Big11
  | Big12
  | Big13
  | Big14
  | Big15
  | Big16
  | Big17
  | Big18
  | Big19
  | Big20
  | Big21
  | Big22
  | Big23
  | Big24
  | Big25
  | Big26
  | Big27
  | Big28
  | Big29
  | Big30
  | Big31
  | Big32
  | Big33
  | Big34
  | Big35
  | Big36
  | Big37
  | Big38
  | Big39
  | Big40
  | Big41
  | Big42
  | Big43
  | Big44
  | Big45
  | Big46
  | Big47
  | Big48
  | Big49
  | Big50
  | Big51
  | Big52
  | Big53
  | Big54
  | Big55
  | Big56
  | Big57
  | Big58
  | Big59
  | Big60
  | Big61
  | Big62
  | Big63
  | Big64
  | Big65
  | Big66
  | Big67
  | Big68
  | Big69
  | Big70
  | Big71
  | Big72
  | Big73
  | Big74
  | Big75
  | Big76
  | Big77
  | Big78
  | Big79
  | Big80
  | Big81
  | Big82
  | Big83
  | Big84
  | Big85
  | Big86
  | Big87
  | Big88
  | Big89
  | Big90
  | Big91
  | Big92
  | Big93
  | Big94
  | Big95
  | Big96
  | Big97
  | Big98
  | Big99
  | Big100
  | Big101
  | Big102
  | Big103
  | Big104
  | Big105
  | Big106
  | Big107
  | Big108
  | Big109
  | Big110
  | Big111
  | Big112
  | Big113
  | Big114
  | Big115
  | Big116
  | Big117
  | Big118
  | Big119
  | Big120
  | Big121
  | Big122
  | Big123
  | Big124
  | Big125
  | Big126
  | Big127
  | Big128
  | Big129
  | Big130
  | Big131
  | Big132
  | Big133
  | Big134
  | Big135
  | Big136
  | Big137
  | Big138
  | Big139
  | Big140
  | Big141
  | Big142
  | Big143
  | Big144
  | Big145
  | Big146
  | Big147
  | Big148
  | Big149
  | Big150
  | Big151
  | Big152
  | Big153
  | Big154
  | Big155
  | Big156
  | Big157
  | Big158
  | Big159
  | Big160
  | Big161
  | Big162
  | Big163
  | Big164
  | Big165
  | Big166
  | Big167
  | Big168
  | Big169
  | Big170
  | Big171
  | Big172
  | Big173
  | Big174
  | Big175
  | Big176
  | Big177
  | Big178
  | Big179
  | Big180
  | Big181
  | Big182
  | Big183
  | Big184
  | Big185
  | Big186
  | Big187
  | Big188
  | Big189
  | Big190
  | Big191
  | Big192
  | Big193
  | Big194
  | Big195
  | Big196
  | Big197
  | Big198
  | Big199
  | Big200
  | Big201
  | Big202
  | Big203
  | Big204
  | Big205
  | Big206
  | Big207
  | Big208
  | Big209
  | Big210
  | Big211
  | Big212
  | Big213
  | Big214
  | Big215
  | Big216
  | Big217
  | Big218
  | Big219
  | Big220
  | Big221
  | Big222
  | Big223
  | Big224
  | Big225
  | Big226
  | Big227
  | Big228
  | Big229
  | Big230
  | Big231
  | Big232
  | Big233
  | Big234
  | Big235
  | Big236
  | Big237
  | Big238
  | Big239
  | Big240
  | Big241
  | Big242
  | Big243
  | Big244
  | Big245
  | Big246
  | Big247
  | Big248
  | Big249
  | Big250
  | Big251
  | Big252
  | Big253
  | Big254
  | Big255
  | Big256
  | Big257
  | Big258
  | Big259
  deriving stock (Eq, Show, Enum, Bounded, Generic)
  deriving anyclass (Codec)

-- | All of them.
bigs :: [Big]
bigs = [minBound .. maxBound]

-- | None of these has a finite value.
data Inside = Inside Around
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | See 'Inside'.
data Around = Around Inside ()
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | See 'Inside'.
newtype Wrapped = Wrapped Wrapped
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | See 'Inside'.
data Doubled a = Doubled (Doubled (a, a))
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | See 'Inside'.
newtype Eight = Eight (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Eight)
  deriving stock (Generic)
  deriving anyclass (Codec)

-- | See 'Inside'.
newtype Twice = Twice (Product Identity Identity Twice)
  deriving stock (Generic)
  deriving anyclass (Codec)
